import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { listFiles, parseSource, readSource } from './source-files.mjs'

// The requirements of docs/reference/requirements are those that titles of tests name, and the index counts them.

const index = readFileSync(join(repositoryRoot, 'docs/reference/requirements.md'), 'utf8')

/** Returns the ids that a table of requirements defines. */
const listDefinitions = (markdown) => [...markdown.matchAll(/^\| `([A-Z]+-\d+)` \| \S/gm)].map(([, id]) => id)

const definitionsByArea = new Map(
  listFiles(repositoryRoot, ['docs/reference/requirements']).map((file) => [
    /([a-z]+)\.md$/.exec(file)[1].toUpperCase(),
    listDefinitions(readSource(repositoryRoot, file)),
  ]),
)
const defined = [...definitionsByArea.values()].flat()

const notTests = new Set([
  'describe',
  'skip',
  'todo',
  'fixme',
  'step',
  'beforeEach',
  'afterEach',
  'beforeAll',
  'afterAll',
])

/** Returns the names of a callee: `test`, `each` for `test.each(cases)(title, …)`. Returns none for other expressions. */
const listNames = (callee) => {
  if (callee.type === 'Identifier') return [callee.name]
  if (callee.type === 'MemberExpression') return [...listNames(callee.object), callee.property.name]
  if (callee.type === 'CallExpression') return listNames(callee.callee)
  return callee.type === 'TaggedTemplateExpression' ? listNames(callee.tag) : []
}

const readTitle = (argument) => {
  if (argument?.type === 'Literal') return String(argument.value)
  return argument?.type === 'TemplateLiteral' ? argument.quasis.map(({ value }) => value.cooked).join('…') : ''
}

/** Returns the titles of the tests of a file, without those of groups and of tests that are skipped. */
const listTitles = (file, code) => {
  const titles = []
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node?.type !== 'string') return
    if (node.type === 'CallExpression') {
      const [name, ...others] = listNames(node.callee)
      if (/^(?:test|it)$/.test(name) && !others.some((other) => notTests.has(other)))
        titles.push(readTitle(node.arguments[0]))
    }
    Object.values(node).forEach(visit)
  }
  visit(parseSource(file, code).program)
  return titles
}

/** Returns the ids in a title. Those of `API` have three digits, and the others two. */
const listIds = (title) => title.match(/\b[A-Z]{2,10}-\d{2,3}\b/g) ?? []

/** A title with more ids cannot say what it shows of each. */
const maxIds = 5

const titles = listFiles(repositoryRoot)
  .filter((file) => /\.(?:test\.(?:tsx?|mjs)|e2e\.ts)$/.test(file))
  .flatMap((file) => listTitles(file, readSource(repositoryRoot, file)).map((title) => ({ file, ids: listIds(title) })))

test('titles of tests are read from tests and their tables, not from groups and skipped tests', () => {
  const code = `
    test('A', () => {}); it.each([1])('B %s', () => {}); test.skip('C', () => {}); test.describe('D', () => {})
    test.each\`a\${1}\`(\`E \${1} \${2}\`, () => {}); test.step('F'); describe('G', () => { it('H') })`
  expect(listTitles('a.test.ts', code).filter((title) => title !== '')).toEqual(['A', 'B %s', 'E … …', 'H'])
  expect(listIds('API-014, CARRIERS-12 reject RFC 822 and UTF-8')).toEqual(['API-014', 'CARRIERS-12'])
})

test('each requirement is stated once, in the file of its area, and is numbered without a gap', () => {
  for (const [name, ids] of definitionsByArea) {
    const digits = name === 'API' ? 3 : 2
    expect(ids).toEqual(ids.map((_, at) => `${name}-${String(at + 1).padStart(digits, '0')}`))
  }
})

test('titles of tests name requirements that are stated', () => {
  const definedIds = new Set(defined)
  const unknown = titles.flatMap(({ file, ids }) =>
    ids.filter((id) => !definedIds.has(id)).map((id) => `${file}: ${id}`),
  )
  expect(unknown).toEqual([])
})

test('each requirement is in the title of a test', () => {
  const coveredIds = new Set(titles.filter(({ ids }) => ids.length <= maxIds).flatMap(({ ids }) => ids))
  expect(defined.filter((id) => !coveredIds.has(id))).toEqual([])
})

test('the index lists each area with the number of its requirements, and their sum', () => {
  const rows = [...index.matchAll(/^\| \[`([A-Z]+)`\]\(requirements\/([a-z]+)\.md\) \|.*\| (\d+) \|$/gm)]
  expect(rows.filter(([, name, file]) => name.toLowerCase() !== file)).toEqual([])
  const counts = new Map([...definitionsByArea].map(([name, ids]) => [name, ids.length]))
  expect(new Map(rows.map(([, name, , count]) => [name, Number(count)]))).toEqual(counts)
  expect(index).toContain(`${defined.length} requirements`)
})
