import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findProblems } from './layers.mjs'

const packages = { src: { layers: [['app'], ['pages'], ['ui']], isolated: 'pages' } }
const roots = []

/** Writes a source tree and returns what is wrong with it. */
const check = (files) => {
  const root = mkdtempSync(join(tmpdir(), 'layers-'))
  roots.push(root)
  execFileSync('git', ['init', '--quiet', root])
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return findProblems(root, packages)
}

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

test('imports of layers below, of shared folders, and in tests are allowed', () => {
  expect(
    check({
      'src/app/a.ts': "import '../pages/x/x.ts'\nimport '../ui/u.ts'",
      'src/pages/x/x.ts': "import type { S } from '../shared/s.ts'\nimport '../all.ts'",
      'src/pages/x/x.test.ts': "import '../../app/a.ts'",
      'src/pages/shared/s.ts': 'export interface S {}',
      'src/pages/all.ts': '',
      'src/ui/u.ts': '',
    }),
  ).toEqual([])
})

test.each([
  ["import '../app/a.ts'"],
  ["import type { A } from '../app/a.ts'"],
  ["export { a } from '../app/a.ts'"],
  ["export const load = () => import('../app/a.ts')"],
])('an import of a layer above is a problem: %s', (line) => {
  expect(check({ 'src/app/a.ts': '', 'src/ui/u.ts': line })).toEqual([
    'src/ui/u.ts imports src/app/a.ts, which is in a layer above',
  ])
})

test('folders of an isolated layer must not import each other', () => {
  expect(check({ 'src/pages/x/x.ts': "import '../y/y.ts'", 'src/pages/y/y.ts': '' })).toEqual([
    'src/pages/x/x.ts imports src/pages/y/y.ts: move what both need to pages/shared or to a layer below',
  ])
})

test('the index of an isolated layer lists its folders', () => {
  expect(
    check({
      'src/pages/index.ts': "import './x/x.ts'",
      'src/pages/all.ts': "import './x/x.ts'",
      'src/pages/x/x.ts': '',
    }),
  ).toEqual(['src/pages/all.ts imports src/pages/x/x.ts: move what both need to pages/shared or to a layer below'])
})

test('import cycles are a problem, dynamic imports included', () => {
  expect(
    check({
      'src/ui/a.ts': "import './b.ts'",
      'src/ui/b.ts': "export const load = () => import('./c.ts')",
      'src/ui/c.ts': "import type { A } from './a.ts'",
    }),
  ).toEqual([expect.stringMatching(/^src\/ui\/a\.ts → src\/ui\/b\.ts → src\/ui\/c\.ts is an import cycle$/)])
})

test('a folder that imports another one has no file of the same name, except for files named after their role', () => {
  expect(
    check({
      'src/ui/menu.ts': '',
      'src/ui/index.ts': '',
      'src/ui/other/menu.ts': '',
      'src/app/menu.ts': '',
      'src/app/index.ts': "import '../ui/menu.ts'",
    }),
  ).toEqual(['src/app/menu.ts has the name of src/ui/menu.ts, whose folder it imports: name it after what it adds'])
})

test('a folder without a layer is a problem', () => {
  expect(check({ 'src/misc/m.ts': '' })).toEqual([
    'src/misc/m.ts is in no layer: add its folder to scripts/checks/layers.mjs',
  ])
})
