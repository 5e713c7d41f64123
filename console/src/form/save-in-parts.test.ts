import { expect, test } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import { findChangedRecord } from './changed-record.ts'
import { getCreatedSid, PartialFailure, type SavePart, saveInParts } from './save-in-parts.ts'

const saves = (what: string): SavePart => ({ what, save: () => Promise.resolve() })
const fails = (what: string, error: unknown): SavePart => ({ what, save: () => Promise.reject(error) })

const rejected = new ApiError('rejected', 400, 'must be at least 8', { field: 'length', requestId: 'r-1' })
const sessionEnded = new ApiError('session-ended', 401, 'Your session has expired.')

test('saves all parts it can, and reports failed parts with their reasons', async () => {
  const parts = [saves('the name'), fails('the policy', rejected), saves('Max calls'), fails('Max minutes', 'broken')]
  await expect(saveInParts(parts)).rejects.toMatchObject({
    message:
      'Saved: the name, Max calls. Not saved: the policy (must be at least 8), Max minutes (Something went wrong, please try again).',
    kind: 'rejected',
    status: 400,
    field: 'length',
    detail: 'must be at least 8',
    requestId: 'r-1',
  })
})

test('reports no saved part if all parts failed', async () => {
  await expect(saveInParts([fails('one', rejected), fails('two', rejected)])).rejects.toMatchObject({
    message: 'Not saved: one (must be at least 8), two (must be at least 8).',
  })
})

test('a single part rethrows its error, an ended session stops the save, and no parts are no failure', async () => {
  await expect(saveInParts([fails('one', rejected)])).rejects.toBe(rejected)
  let callCount = 0
  const counted = { what: 'later', save: () => Promise.resolve((callCount += 1)) }
  await expect(saveInParts([fails('one', sessionEnded), counted])).rejects.toBe(sessionEnded)
  expect(callCount).toBe(0)
  await expect(saveInParts([])).resolves.toBeUndefined()
})

test('the failure of a creation has the SID of what was created, also if a single part failed', async () => {
  const failure = await saveInParts([fails('one', rejected)], { sid: 'a' }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(PartialFailure)
  expect(failure).toMatchObject({ message: 'must be at least 8', status: 400, field: 'length', requestId: 'r-1' })
  expect(getCreatedSid(failure)).toBe('a')
  expect(getCreatedSid(failure, 'voip_carrier_sid')).toBeUndefined()
  expect(getCreatedSid(rejected)).toBeUndefined()
})

test('stops at a record that another user has changed, and names it with what was saved before', async () => {
  const record = { name: 'of another user' }
  const changedMeanwhile = new ApiError('rejected', 412, 'The record has been changed', { answer: { record } })
  let callCount = 0
  const failure = await saveInParts([
    { ...saves('name'), record: 'account', values: { name: 'mine', sip_realm: 'a' } },
    { ...saves('realm'), values: { sip_realm: 'b' } },
    { ...fails('Max calls', changedMeanwhile), record: 'limits', values: { limits: 1 } },
    { what: 'later', save: () => Promise.resolve((callCount += 1)) },
  ]).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(PartialFailure)
  expect(failure).toMatchObject({ status: 412, changed: 'limits', saved: { name: 'mine', sip_realm: 'b' } })
  expect(findChangedRecord(failure)).toBe(record)
  expect(callCount).toBe(0)
  const first = await saveInParts([fails('one', changedMeanwhile)]).catch((error: unknown) => error)
  expect(first).toMatchObject({ status: 412, changed: undefined, saved: undefined })
})

test('reports a changed record like any failure after another one, because the form cannot save the rest', async () => {
  const changedMeanwhile = new ApiError('rejected', 412, 'The record has been changed', { answer: { record: {} } })
  const failure = await saveInParts([
    fails('name', rejected),
    fails('Max calls', changedMeanwhile),
    { ...saves('realm'), values: { sip_realm: 'b' } },
  ]).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message: 'Saved: realm. Not saved: name (must be at least 8), Max calls (The record has been changed).',
    saved: { sip_realm: 'b' },
  })
  expect(findChangedRecord(failure)).toBeUndefined()
})
