import { expect, test } from 'vitest'
import { validateSubject } from './commits.mjs'

test.each([
  'feat(carriers): count gateways in one query',
  'fix: keep the session of another tab',
  'refactor(server)!: remove the old intake',
  'Merge branch main into work',
  'Revert "feat(carriers): count gateways in one query"',
])('accepts %s', (subject) => {
  expect(validateSubject(subject)).toBeUndefined()
})

test.each([
  ['A press on a form waits until its late editor is there', /^must be/],
  ['feat(Carriers): count gateways', /^must be/],
  ['feat:count gateways', /^must be/],
  ['', /^must be/],
  [`docs: ${'x'.repeat(67)}`, /^has 73 characters/],
])('rejects "%s"', (subject, problem) => {
  expect(validateSubject(subject)).toMatch(problem)
})
