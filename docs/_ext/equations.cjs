// stdin: [[latex, displayMode], ...]   stdout: [{html} or {error}, ...]
const katex = require(process.argv[2]);

function render([latex, displayMode]) {
  try {
    // strict: no CJK text and no bare line break inside an equation
    return { html: katex.renderToString(latex, { displayMode, throwOnError: true, strict: "error" }) };
  } catch (error) {
    return { error: error.message };
  }
}

const equations = JSON.parse(require("fs").readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(equations.map(render)));
