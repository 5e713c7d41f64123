import { expect, test } from 'vitest'
import { dtmfTypes } from '../shared/gateways.ts'
import { type BulkField, bulkFields, type UpdatableKind } from './fields.ts'
import { findBulkKind } from './kinds.ts'

const sid = 'c3ab8ff1-3720-4e8a-90f6-1d2b3c4d5e6f'
const examples: Readonly<Record<BulkField['type'], readonly unknown[]>> = {
  flag: [true, 0],
  account: [sid],
  application: [sid],
  dtmf_type: dtmfTypes,
}
const invalid: Readonly<Record<BulkField['type'], unknown>> = {
  flag: 'on',
  account: 1,
  application: 1,
  dtmf_type: 'morse',
}

const declared = Object.entries(bulkFields).flatMap(([kind, fields]) =>
  Object.entries<BulkField>(fields).map(([name, field]) => [kind as UpdatableKind, name, field] as const),
)

test.each(declared)('%s: the endpoint accepts the values of the field %s', (kind, name, { type }) => {
  const schema = findBulkKind(kind).values?.strict()
  const accepts = (value: unknown) => schema?.safeParse({ [name]: value }).success
  expect(examples[type].map(accepts)).toEqual(examples[type].map(() => true))
  expect(accepts(invalid[type])).toBe(false)
})

test.each(declared.filter(([, , { canBeEmpty }]) => canBeEmpty))('%s: %s can be cleared', (kind, name) => {
  expect(findBulkKind(kind).values?.safeParse({ [name]: null }).success).toBe(true)
})
