import { expect, test } from 'vitest'
import { findProblems } from './doc-links.mjs'

const check = (files) => findProblems(new Map(Object.entries(files)))

const guide =
  '# Guide\n\n## SIP realms\n\n## Create, update, and delete\n\n## `PATCH`: [links](https://example.com)\n\n## SIP realms\n'

test('accepts links and paths to existing files, folders, and headings', () => {
  expect(
    check({
      'README.md': '[guide](docs/guide.md#sip-realms) ![image](docs/images/a.png) [web](https://example.com/docs/x)',
      'docs/guide.md': `${guide}\n[above](#guide) [back](../README.md) see docs/images/`,
      'docs/deep/page.md':
        '[a](../guide.md#create-update-and-delete) [b](<../guide.md#patch-links>)\n\n[c]: ../guide.md',
      'docs/images/a.png': null,
      'src/a.ts': '/** See docs/guide.md#sip-realms-1. */\n// docs/guide.md, and vendor.com/docs/unrelated',
    }),
  ).toEqual([])
})

test.each([
  ['docs/b.md', '\n[a](missing.md)', 'docs/b.md:2 docs/missing.md does not exist'],
  ['docs/b.md', '[a](guide.md#missing)', 'docs/b.md:1 docs/guide.md has no heading for #missing'],
  ['docs/b.md', '[a](#missing)', 'docs/b.md:1 docs/b.md has no heading for #missing'],
  ['docs/b.md', '[a]: missing.md', 'docs/b.md:1 docs/missing.md does not exist'],
  ['docs/b.md', 'see `docs/missing.md`.', 'docs/b.md:1 docs/missing.md does not exist'],
  ['src/a.ts', '\n\n/** See docs/missing.md. */', 'src/a.ts:3 docs/missing.md does not exist'],
  ['src/a.tsx', '// docs/guide.md#missing', 'src/a.tsx:1 docs/guide.md has no heading for #missing'],
])('reports a broken link in %s: %s', (file, text, problem) => {
  expect(check({ 'docs/guide.md': guide, [file]: text })).toEqual([problem])
})

test('rejects a link from a page of a release to a file that a release lacks', () => {
  const file = { 'src/a.ts': '', 'src/README.md': '[a](a.ts)' }
  expect(check({ ...file, 'docs/a.md': '`src/a.ts`' })).toEqual([])
  expect(check({ ...file, 'START.md': '[a](src/a.ts)' })).toEqual([
    'START.md:1 src/a.ts is not in a release, which contains this page: name it without a link',
  ])
})

test('ignores code outside of comments, and code blocks', () => {
  expect(
    check({
      'src/a.ts': "const file = 'docs/missing.md' // a comment\n",
      'docs/a.md': '```sh\n# docs/missing.md\n[a](missing.md)\n```\n',
    }),
  ).toEqual([])
})

test('does not take a comment in a code block for a heading', () => {
  expect(check({ 'docs/a.md': '```sh\n# Run\n```\n\n[run](#run)' })).toEqual([
    'docs/a.md:5 docs/a.md has no heading for #run',
  ])
})

test.each([
  ['api/1-identity.md §2', '"api/1-identity" is not in the repository: link to docs/reference/platform-api'],
  ['spec 0 §5', '"spec 0 §5" is not in the repository: name the requirement, such as CARRIERS-12'],
  ['console.md B.8', '"console.md" is not in the repository: state the reason instead'],
])('rejects the citation %s', (citation, problem) => {
  expect(check({ 'src/a.ts': `/** A rule (${citation}). */` })).toEqual([`src/a.ts:1 ${problem}`])
})
