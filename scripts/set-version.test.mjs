import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readReleaseNotes, readVersion } from './release/version.mjs'
import { repositoryRoot } from './run/ensure-node.mjs'
import { setVersion } from './set-version.mjs'

const files = [
  'package.json',
  'package-lock.json',
  'deploy/compose/standalone.yaml',
  'deploy/compose/platform.yaml',
  'deploy/kubernetes/base/kustomization.yaml',
  'deploy/kubernetes/platform/kustomization.yaml',
  'deploy/kubernetes/platform/migration-job.yaml',
  'deploy/kubernetes/standalone/kustomization.yaml',
]
const changelog = '# Changelog\n\n## Unreleased\n\n### Fixed\n\n- A fault.\n\n## 0.3.0 - 2026-11-28\n\n- Older.\n'
let root

const write = (file, text) => writeFileSync(join(root, file), text)
const read = (file) => readFileSync(join(root, file), 'utf8')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'patchbay-version-'))
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    cpSync(join(repositoryRoot, file), join(root, file))
  }
  write('CHANGELOG.md', changelog)
})

afterEach(() => rmSync(root, { recursive: true }))

test('sets the version in every file that names it', () => {
  const before = readVersion(root)
  setVersion(root, '9.8.7-dev', '2027-01-02')
  expect(readVersion(root)).toBe('9.8.7-dev')
  // Packages of others can have the same version.
  for (const file of files.filter((each) => each.startsWith('deploy/'))) expect(read(file)).not.toContain(before)
  const { version, packages } = JSON.parse(read('package-lock.json'))
  expect([version, packages[''].version]).toEqual(['9.8.7-dev', '9.8.7-dev'])
  expect(read('CHANGELOG.md')).toBe(changelog)
})

test('dates the changelog for a release, whose notes are what was unreleased', () => {
  setVersion(root, '9.8.7', '2027-01-02')
  expect(read('CHANGELOG.md')).toContain('## Unreleased\n\n## 9.8.7 - 2027-01-02\n\n### Fixed\n')
  expect(readReleaseNotes(root, 'v9.8.7')).toBe('### Fixed\n\n- A fault.')
})

test('links of the notes lead to the files of the tag', () => {
  write(
    'CHANGELOG.md',
    changelog.replace('A fault.', 'A fault ([how to](docs/a.md), [elsewhere](https://example.org)).'),
  )
  setVersion(root, '9.8.7', '2027-01-02')
  expect(readReleaseNotes(root, 'v9.8.7', 'https://github.com/o/r')).toContain(
    '([how to](https://github.com/o/r/blob/v9.8.7/docs/a.md), [elsewhere](https://example.org))',
  )
})

test('rejects other versions, and files that name none', () => {
  expect(() => setVersion(root, '9.8', '2027-01-02')).toThrow('"9.8" is not a version')
  write('deploy/compose/standalone.yaml', 'services: {}')
  expect(() => setVersion(root, '9.8.7', '2027-01-02')).toThrow('does not contain "image: patchbay:')
})

test('a release whose tag, package.json, and changelog name different versions has no notes', () => {
  setVersion(root, '9.8.7', '2027-01-02')
  expect(() => readReleaseNotes(root, 'v9.8.6')).toThrow('The tag is v9.8.6, and the version in package.json is 9.8.7')
  write('CHANGELOG.md', changelog)
  expect(() => readReleaseNotes(root, 'v9.8.7')).toThrow('does not begin with an empty section "Unreleased"')
  write('CHANGELOG.md', changelog.replace('### Fixed\n\n- A fault.\n\n', ''))
  expect(() => readReleaseNotes(root, 'v9.8.7')).toThrow('is "0.3.0 - 2026-11-28", and not that of 9.8.7')
  setVersion(root, '9.9.0-dev', '2027-01-02')
  expect(() => readReleaseNotes(root, 'v9.9.0-dev')).toThrow('and not that of 9.9.0-dev')
})
