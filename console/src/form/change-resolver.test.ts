import { expect, test } from 'vitest'
import { trimmedText, z } from '../zod.ts'
import { alwaysRefused, createChangeResolver } from './change-resolver.ts'
import { findNewIssues } from './stored-issues.ts'

const row = z.object({ address: z.string().check(z.minLength(1, { error: 'Enter an address' })), port: z.number() })
const schema = z.object({
  name: trimmedText(20).check(z.minLength(2, { error: 'Too short' })),
  prefix: z.string().check(z.minLength(3, { error: 'Too short' })),
  rows: z.array(row),
})
type Values = z.infer<typeof schema>

const stored: Values = {
  name: 'Carrier',
  prefix: 'ab',
  rows: [
    { address: 'a.example', port: 1 },
    { address: '', port: 2 },
  ],
}

const resolve = async (values: Values, before: Values | undefined = stored) => {
  const options = { fields: {}, shouldUseNativeValidation: false, criteriaMode: 'firstError' } as const
  const { values: accepted, errors } = await createChangeResolver(schema)(values, before, options)
  return Object.keys(errors).length === 0 ? accepted : JSON.parse(JSON.stringify(errors))
}

const tooShort = { type: expect.any(String), message: 'Too short' }

test('accepts stored values that are invalid while they are unchanged, and converts the others', async () => {
  expect(await resolve({ ...stored, name: '  Another ' })).toEqual({ ...stored, name: 'Another' })
})

test('refuses a changed value, also if it has the error of the stored one', async () => {
  expect(await resolve({ ...stored, name: 'x' })).toEqual({ name: tooShort })
  expect(await resolve({ ...stored, prefix: 'a' })).toEqual({ prefix: tooShort })
})

test('follows a row to its new position, and validates it once it is changed', async () => {
  const [, invalid = { address: '', port: 0 }] = stored.rows
  expect(await resolve({ ...stored, rows: [invalid] })).toEqual({ ...stored, rows: [invalid] })
  expect(await resolve({ ...stored, rows: [{ address: '', port: 3 }] })).toEqual({
    rows: [{ address: { type: expect.any(String), message: 'Enter an address' } }],
  })
  // Another field of the row has changed, and the invalid one has not.
  const rows = [stored.rows[0] ?? invalid, { ...invalid, port: 9 }]
  expect(await resolve({ ...stored, rows })).toEqual({ ...stored, rows })
})

test('validates all values of a new record', async () => {
  const resolver = createChangeResolver(schema)
  const options = { fields: {}, shouldUseNativeValidation: false } as const
  expect(Object.keys((await resolver(stored, undefined, options)).errors)).toEqual(['prefix', 'rows'])
})

test('refuses what a form never saves, although the stored record has it', () => {
  const issue = { path: ['rows'], message: 'Add a row' }
  const refused = { ...issue, params: alwaysRefused }
  expect(findNewIssues([issue, refused], { rows: [] }, [issue, refused], { rows: [] })).toEqual([refused])
})
