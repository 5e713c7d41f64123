import { expect, test } from 'vitest'
import { scripts } from '../../package.json' with { type: 'json' }
import config from '../../vitest.config.ts'
import { programs } from '../run/programs.mjs'
import {
  findBlocker,
  hasTests,
  mainBrowserTests,
  selectSteps,
  steps,
  summary,
  testPrograms,
  tiers,
  toCommand,
} from './gates.mjs'

const listNames = (options) => selectSteps(options).map((step) => step.map(({ gate }) => gate))
const gates = steps.flat()

test('runs the gates of a tier, and those that prepare them', () => {
  expect(listNames({})).toEqual([
    ['install'],
    ['types', 'lint', 'regexps', 'format', 'dead-code'],
    ['programs'],
    ['rules'],
    ['sqlite'],
    ['mariadb'],
    ['build'],
    ['size'],
    ['e2e'],
  ])
  expect(listNames({ tier: 'merge' }).flat()).toEqual([
    'install',
    'programs',
    'build',
    'mariadb-rest',
    'full',
    'built',
    'e2e-rest',
    'layouts',
    'visual',
  ])
  expect(listNames({ tier: tiers.join() }).flat()).toEqual(gates.map(({ gate }) => gate))
})

test('runs only selected gates, of any tier, in their order', () => {
  expect(listNames({ only: 'rules,lint' })).toEqual([['lint'], ['rules']])
  expect(listNames({ only: 'built' })).toEqual([['built']])
  expect(listNames({ from: 'build' })).toEqual([['build'], ['size'], ['e2e']])
  expect(listNames({ from: 'dead-code', only: 'lint,dead-code,e2e' })).toEqual([['dead-code'], ['e2e']])
})

test('lists the gates and tiers if one is unknown', () => {
  expect(() => selectSteps({ only: 'rules,speed' })).toThrow(/"speed".*install, types/)
  expect(() => selectSteps({ from: 'speed' })).toThrow('"speed"')
  expect(() => selectSteps({ tier: 'night' })).toThrow('There is no tier "night". The tiers are: test, merge, release.')
})

test('runs the static checks before any program is looked for', () => {
  const order = gates.map(({ gate }) => gate)
  const programsAt = order.indexOf('programs')
  for (const gate of ['types', 'lint', 'regexps', 'format', 'dead-code'])
    expect(order.indexOf(gate)).toBeLessThan(programsAt)
})

test('runs a gate after any failure but of one that it needs', () => {
  const failed = (gate) => [{ gate, passed: false }]
  const find = (gate) => gates.find((one) => one.gate === gate)
  expect(findBlocker(find('e2e'), failed('rules'))).toBeUndefined()
  expect(findBlocker(find('e2e'), failed('build'))).toBe('build')
  expect(findBlocker(find('rules'), failed('install'))).toBe('install')
  expect(findBlocker(find('rules'), failed('types'))).toBeUndefined()
})

test('runs projects and scripts that exist, and every project in a tier', () => {
  const projects = config.test.projects.map(({ test: { name } }) => name)
  const run = gates.flatMap((gate) => gate.project ?? [])
  // `scripts/test-release.mjs` runs the last two.
  expect(new Set([...run, 'clickhouse', 'release'])).toEqual(new Set(projects))
  const inProcess = ['install', 'programs', 'build']
  const named = gates.flatMap((gate) => toCommand(gate).script ?? []).filter((name) => !inProcess.includes(name))
  expect(named.filter((name) => !(name in scripts))).toEqual([])
  expect(testPrograms.filter((key) => !(key in programs))).toEqual([])
})

test('has no tests to run without MariaDB or Chromium if all of them use it', () => {
  const onMariaDb = config.test.projects.filter(({ test: { globalSetup } }) =>
    globalSetup?.includes('testkit/src/servers/vitest-mariadb.ts'),
  )
  for (const { project, isBrowser, program } of gates.filter((gate) => hasTests(gate))) {
    const onServer = onMariaDb.some(({ test: { name } }) => name === project)
    expect([project, program]).toEqual([project, isBrowser ? 'chromium' : onServer ? 'mariadb' : undefined])
  }
})

test('runs each browser test in one gate, and those of requirements in npm test', () => {
  const [e2e, rest] = ['e2e', 'e2e-rest'].map((name) => gates.find(({ gate }) => gate === name))
  expect([e2e.tier, e2e.args]).toEqual(['test', ['--grep', mainBrowserTests]])
  expect([rest.tier, rest.args]).toEqual(['merge', ['--grep-invert', mainBrowserTests]])
  const isMain = (title) => new RegExp(mainBrowserTests).test(title)
  expect(isMain('TEAMS-12 describes an empty list')).toBe(true)
  expect(isMain('Edit application has no accessibility findings')).toBe(true)
  expect(isMain('opens with Ctrl+K, finds a screen by some words')).toBe(false)
  // The names of files are part of what Playwright compares.
  expect(isMain('e2e/ms-teams-tenants.e2e.ts UTF-8 in a name')).toBe(false)
})

test('divides the tests of each gate', () => {
  const [[build], [e2e]] = selectSteps({ only: 'build,e2e', shard: '2/4' })
  expect(build).toEqual({ gate: 'build' })
  expect(toCommand(e2e).tool).toContain('--shard=2/4')
})

test('distinguishes passed, failed, and unreached gates in the summary, and says why', () => {
  const results = [
    { gate: 'lint', passed: true, seconds: 1.25 },
    { gate: 'unit', passed: false, seconds: 60 },
    { gate: 'e2e', passed: false, note: 'because build failed' },
  ]
  const lines = summary(
    [['lint'], ['unit'], ['e2e'], ['size']].map(([gate]) => [{ gate }]),
    results,
  )
  expect(lines[0]).toMatch(/passed +1\.3 s/)
  expect(lines[1]).toMatch(/FAILED +60\.0 s/)
  expect(lines[2]).toMatch(/not run {2}because build failed/)
  expect(lines[3]).toMatch(/not run$/)
})
