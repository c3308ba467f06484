// equations.js KATEX.js SITE_DIR: KaTeX accepts every equation of the site.
const fs = require('fs'), path = require('path');
const katex = require(process.argv[2]);

const pages = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
  const name = path.join(folder, entry.name);
  return entry.isDirectory() ? pages(name) : name.endsWith('.html') ? [name] : [];
});
const plain = (text) => text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

let count = 0;
for (const page of pages(process.argv[3])) {
  for (const found of fs.readFileSync(page, 'utf8').matchAll(/class="arithmatex">\\\[([\s\S]*?)\\\]</g)) {
    ++count;
    try {
      katex.renderToString(plain(found[1]), { displayMode: true, strict: 'ignore' });
    } catch (error) {
      console.log(`FAILED: ${page}: ${error.message}`);
      process.exitCode = 1;
    }
  }
}
console.log(`${count} equations`);
if (count < 30) process.exitCode = 1;
