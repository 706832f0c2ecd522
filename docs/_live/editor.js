// One cell's editor. It wears the classes of Pygments, so that code looks as it does in the book, in both themes.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

const pygments = tagHighlighter([
  { tag: tags.comment, class: "c1" },
  { tag: tags.string, class: "s2" },
  { tag: tags.special(tags.string), class: "s2" },
  { tag: tags.escape, class: "se" },
  { tag: tags.number, class: "mi" },
  { tag: [tags.bool, tags.null], class: "kc" },
  { tag: tags.keyword, class: "k" },
  { tag: tags.moduleKeyword, class: "kn" },
  { tag: tags.operatorKeyword, class: "ow" },
  { tag: tags.operator, class: "o" },
  { tag: tags.definition(tags.function(tags.variableName)), class: "nf" },
  { tag: tags.definition(tags.className), class: "nc" },
  { tag: tags.meta, class: "nd" },
]);

/** `keys` maps a key to what it does; `changed(code)` hears of every edit. Tab is not bound: it leaves the editor. */
export function createEditor({ parent, code, label, keys, changed }) {
  return new EditorView({
    parent,
    doc: code,
    extensions: [
      keymap.of(Object.entries(keys).map(([key, act]) => ({ key, run: () => (act(), true) }))),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      history(),
      drawSelection(),
      EditorState.tabSize.of(4),
      indentUnit.of("    "),
      indentOnInput(),
      bracketMatching(),
      pythonLanguage,
      syntaxHighlighting(pygments),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "live-help", tabindex: "0" }),
      EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
    ],
  });
}

export function replaceCode(editor, code) {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: code } });
}
