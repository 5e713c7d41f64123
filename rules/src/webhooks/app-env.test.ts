import { expect, test } from 'vitest'
import { type EnvControl, type EnvVariable, envControl, toStoredEnv, validateEnv } from './app-env.ts'

const variable = (more: Partial<EnvVariable> = {}): EnvVariable => ({ type: 'string', description: 'd', ...more })

test.each<[Partial<EnvVariable>, EnvControl]>([
  [{}, 'text'],
  [{ uiHint: 'input' }, 'text'],
  [{ uiHint: 'something of later' }, 'text'],
  [{ uiHint: 'textarea' }, 'area'],
  [{ uiHint: 'filepicker' }, 'file'],
  [{ type: 'number' }, 'number'],
  [{ type: 'boolean', uiHint: 'textarea' }, 'checkbox'],
  [{ enum: ['a', 'b'] }, 'select'],
  [{ type: 'number', enum: [1, 2] }, 'select'],
  [{ enum: [] }, 'text'],
  [{ obscure: true }, 'secret'],
  [{ obscure: true, uiHint: 'filepicker' }, 'secret'],
])('uses for a variable with %j the control %s', (more, control) => {
  expect(envControl(variable(more))).toBe(control)
})

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['what is filled in, and what is false or nought', { A: 'x', N: 0, B: false }, { A: 'x', N: 0, B: false }],
  ['nothing for what is empty', { A: '', N: '', B: null }, {}],
  ['nothing of what was taken away', { OTHER: undefined }, {}],
  ['what is described otherwise, or not at all, as it is', { OTHER: '', A: 'x' }, { OTHER: '', A: 'x' }],
])('stores %s', (_, values, filled) => {
  expect(
    toStoredEnv({ A: variable(), N: variable({ type: 'number' }), B: variable({ type: 'boolean' }) }, values),
  ).toEqual(filled)
})

test('stores the default of variables without a value', () => {
  const described = { A: variable({ default: 'a' }), N: variable({ type: 'number', default: 0 }) }
  expect(toStoredEnv(described, {})).toEqual({ A: 'a', N: 0 })
  expect(toStoredEnv(described, { A: '', N: 5 })).toEqual({ N: 5 })
})

test('returns errors in the order of the declaration', () => {
  const described = { A: variable({ required: true }), N: variable({ type: 'number', enum: [1, 2] }) }
  expect(validateEnv(described, { N: 3 })).toEqual([
    { name: 'A', fault: 'missing' },
    { name: 'N', fault: 'invalid' },
  ])
  expect(validateEnv(described, { A: '', N: 2, OTHER: 1 })).toEqual([])
  // Inherited properties of objects do not count as values.
  expect(validateEnv({ toString: variable({ required: true }) }, {})).toEqual([{ name: 'toString', fault: 'missing' }])
})
