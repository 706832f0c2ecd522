"""Sphinx settings. Build: sphinx-build -E -n -W --keep-going -j auto -b html -d build/doctrees/zh -c . docs build/zh"""

import os
import sys
from pathlib import Path

root = Path(__file__).parent
sys.path[:0] = [str(root), str(root / "docs/_ext")]

address = os.environ.get("BOOK_URL", "").rstrip("/")  # of the site, where it is known
repository = os.environ.get("BOOK_REPOSITORY", "")  # https://github.com/OWNER/NAME

author = "l05 contributors"
language = "zh_TW"  # the source language; another one comes with -D language=en
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_codeautolink",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib.bibtex",
    # our own, in docs/_ext
    "catalogues",
    "citations",
    "downloads",
    "editions",
    "equations",
    "figures",
    "formula",
    "gates",
    "head",
    "interface",
    "live",
    "measured",
    "notebooks",
    "search",
    "speed",
    "stored",
    "terms",
    "typography",
    "validity",
]
exclude_patterns = ["_*", "locale"]
templates_path = ["docs/_templates"]
numfig = True  # equations, figures and tables are numbered by chapter: (3.2)

# Formulas
formula_package = "l05"
formula_tests = str(root / "tests")

# Pages and cells; docs/_ext/notebooks.py sets what depends on the machine or the language
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 120
nb_output_stderr = "error"  # a warning in a cell is not for the reader
nb_merge_streams = True
nb_mime_priority_overrides = [("gettext", "image/svg+xml", 0)]  # else alt texts cannot be translated

# Cells in the reader's browser: their Python comes with the site, or from "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
live_pyodide_url = os.environ.get("BOOK_PYODIDE_URL", "")

# API reference
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = False  # types are shapes, not classes to be linked
nitpick_ignore_regex = [("py:(class|exc)", r"(?!l05\.).*")]  # the names in annotations have no pages
codeautolink_autodoc_inject = True  # each function lists the cells that use it
codeautolink_concat_default = True  # names imported in one cell are known in the next

# References
bibtex_bibfiles = ["docs/references.bib"]  # and docs/references.zh_TW.bib or docs/references.en.bib
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

# Languages
locale_dirs = ["locale"]
gettext_compact = False
gettext_uuid = gettext_location = False  # a line that moves is no change for a translator
suppress_warnings = ["i18n.inconsistent_references"]  # a term has another name in English; our gate knows them
kept_in_chinese = [
    "生成式 AI",
    "生成式 AI：文字與圖像生成的原理與實務",
    "蔡炎龍",
    "政大",
    "GenAI05 Transformers 的數學原理",
    "RNN 及 transformers 的數學原理",
    "Transformers 全攻略",
    "函數",
    "列",
    "行",
]

# HTML
html_baseurl = address
html_theme = "sphinx_book_theme"
html_static_path = ["docs/_static", "docs/_live/static"]
html_css_files = ["l05.css", "search.css", "live.css"]
html_js_files = ["l05.js", "search.js", "live.js"]
html_context = {
    "address": address,
    "default_mode": "light",  # without JavaScript; with it docs/_templates/layout.html decides
}
html_scaled_image_link = False  # a figure is vector: nothing to enlarge
html_copy_source = html_domain_indices = html_use_index = False
html_show_sourcelink = False
html_sidebars = {"**": ["navbar-logo", "search-button-field", "sbt-sidebar-nav"]}
html_theme_options = {
    "article_header_end": ["switch-language", "notebook", "article-header-buttons"],
    "footer_content_items": ["licence"],
    "navbar_persistent": [],  # the default leaves the phone's menu dead
    "path_to_docs": "docs",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "repository_url": repository,
    "show_toc_level": 2,
    "use_download_button": False,
    "use_edit_page_button": bool(repository),
    "use_issues_button": bool(repository),
    "use_repository_button": bool(repository),
}
copybutton_selector = "div.cell_input div.highlight pre, div:not(.output) > div.highlight > pre"
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
