import { expect, test } from 'vitest'
import { findLongLines, maxColumns } from './long-lines.mjs'

const prose = 'word '.repeat(24).trimEnd()
const url = `https://example.com/${'a'.repeat(maxColumns)}`

test('reports lines of prose and of list items that are too long', () => {
  expect(findLongLines('a.md', `${prose}\n\n- ${prose} end\n  ${prose} end\n`)).toEqual([
    'a.md:3 has 125 columns: wrap it at 120',
    'a.md:4 has 125 columns: wrap it at 120',
  ])
})

test.each([
  ['a row of a table', `| ${prose} | ${prose} |`],
  ['a heading', `## ${prose} ${prose}`],
  ['a block of code', `\`\`\`text\n${prose} ${prose}\n\`\`\``],
  ['an image', `![${prose}](images/${prose.replaceAll(' ', '-')}.png)`],
  ['a link', `- [${prose}](${url}).`],
  ['code in a line', `\`${prose} ${prose}\``],
  ['an address', url],
  ['the definition of a link', `[link]: ${url} "title"`],
])('accepts %s of any length', (_kind, markdown) => {
  expect(findLongLines('a.md', markdown)).toEqual([])
})
