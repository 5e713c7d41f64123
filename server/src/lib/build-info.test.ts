import { expect, test } from 'vitest'
import { version } from '../../../package.json' with { type: 'json' }
import { buildInfo, describeCommit } from './build-info.ts'

const commit = '2578c136a1b2c3d4e5f60718293a4b5c6d7e8f90'

test('guesses nothing without a build', () => {
  expect(buildInfo).toEqual({ version, commit: null, modified: null })
})

test.each([
  [{ commit, modified: false }, 'commit 2578c136a1b2'],
  [{ commit, modified: true }, 'commit 2578c136a1b2 with changes'],
  [{ commit, modified: null }, 'commit 2578c136a1b2, possibly with changes'],
  [{ commit: null, modified: null }, 'an unknown commit'],
])('describes %o', (source, text) => {
  expect(describeCommit(source)).toBe(text)
})
