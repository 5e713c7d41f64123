import { expect, test } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import { type SavePart, saveInParts } from './save-in-parts.ts'

const saves = (what: string): SavePart => ({ what, save: () => Promise.resolve() })
const fails = (what: string, error: unknown): SavePart => ({ what, save: () => Promise.reject(error) })

const refused = new ApiError('refused', 400, 'must be at least 8', { field: 'length', requestId: 'r-1' })
const gone = new ApiError('session-ended', 401, 'Your session has expired.')

test('all that can be saved is saved, and what was not is said with its reason', async () => {
  const parts = [saves('the name'), fails('the policy', refused), saves('Max calls'), fails('Max minutes', 'broken')]
  await expect(saveInParts(parts)).rejects.toMatchObject({
    message:
      'Saved: the name, Max calls. Not saved: the policy (must be at least 8), Max minutes (Something went wrong, please try again).',
    kind: 'refused',
    status: 400,
    field: 'length',
    detail: 'must be at least 8',
    requestId: 'r-1',
  })
})

test('where nothing was saved, nothing is said to be', async () => {
  await expect(saveInParts([fails('one', refused), fails('two', refused)])).rejects.toMatchObject({
    message: 'Not saved: one (must be at least 8), two (must be at least 8).',
  })
})

test('a lone part fails as it is, an ended session ends the save, and no part is no failure', async () => {
  await expect(saveInParts([fails('one', refused)])).rejects.toBe(refused)
  let asked = 0
  const counted = { what: 'later', save: () => Promise.resolve((asked += 1)) }
  await expect(saveInParts([fails('one', gone), counted])).rejects.toBe(gone)
  expect(asked).toBe(0)
  await expect(saveInParts([])).resolves.toBeUndefined()
})
