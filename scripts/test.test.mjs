import { expect, test } from 'vitest'
import { newlyChanged, selectSteps, steps, summary } from './test.mjs'

test('all gates run unless some are chosen', () => {
  expect(selectSteps([])).toEqual(steps)
  expect(selectSteps(['--only', 'unit,lint'])).toEqual([['lint'], ['unit']])
  expect(selectSteps(['--from', 'build'])).toEqual([['build'], ['size'], ['built'], ['e2e']])
  expect(selectSteps(['--from', 'dead-code', '--only', 'lint,dead-code,e2e'])).toEqual([['dead-code'], ['e2e']])
})

test('an unknown gate is named, with those there are', () => {
  expect(() => selectSteps(['--only', 'unit,speed'])).toThrow(/"speed".*install, providers/)
  expect(() => selectSteps(['--from', 'speed'])).toThrow('"speed"')
})

test('an install may change the lock file and nothing else, whatever was edited before it', () => {
  const before = new Map([
    ['edited.ts', 'a'],
    ['edited-again.ts', 'a'],
  ])
  const after = new Map([
    ['edited.ts', 'a'],
    ['edited-again.ts', 'b'],
    ['package-lock.json', 'a'],
    ['biome.json', 'a'],
  ])
  expect(newlyChanged(before, after)).toEqual(['edited-again.ts', 'biome.json'])
})

test('the summary tells passed, failed and never reached apart', () => {
  const results = [
    { gate: 'lint', passed: true, seconds: 1.25 },
    { gate: 'unit', passed: false, seconds: 60 },
  ]
  const [lint, unit, e2e] = summary([['lint'], ['unit'], ['e2e']], results)
  expect(lint).toContain('passed')
  expect(unit).toMatch(/FAILED\s+60\.0 s/)
  expect(e2e).toContain('not run')
})
