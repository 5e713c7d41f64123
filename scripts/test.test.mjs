import { expect, test } from 'vitest'
import { newlyChanged, readArguments } from './test.mjs'

test('treats positional words as test files, and then rejects other options', () => {
  expect(readArguments(['users', 'accounts'])).toEqual({ names: ['users', 'accounts'] })
  expect(readArguments(['--only', 'unit', '--from', 'unit'])).toEqual({ names: [], only: 'unit', from: 'unit' })
  expect(readArguments(['--quick'])).toEqual({ names: [], quick: true })
  for (const args of [
    ['users', '--only', 'unit'],
    ['users', '--quick'],
    ['--quick', '--tier', 'merge'],
  ])
    expect(() => readArguments(args)).toThrow('Choose one: words')
})

test('allows an installation to change only the lock file, whatever was edited before', () => {
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
