// README.md as HTML, for the example page, which is served without the rest of the checkout.
import { readFileSync } from 'node:fs'
import { Marked } from 'marked'

export function readme() {
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        return URL.canParse(href) ? `<a href="${escaped(href)}">${text}</a>` : text
      },
      // What is wider than the window is scrolled by the keyboard, too.
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      tablecell({ header, tokens }) {
        const text = this.parser.parseInline(tokens)
        const name = header && text !== '' ? 'th' : 'td' // the corner of a table heads nothing
        return `<${name}>${text}</${name}>\n`
      },
      image: ({ href, text }) => `<img src="../../${escaped(href)}" alt="${escaped(text)}">`,
    },
  })
  return marked.parse(readFileSync(new URL('../README.md', import.meta.url), 'utf8'), { async: false })
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
