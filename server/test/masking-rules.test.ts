import { maskingLimits } from '@patchbay/contract/shared/masking-limits'
import type { SystemStatus } from '@patchbay/contract/system-status'
import type { Answer } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { beforeEach, describe, expect, test } from 'vitest'
import { getRow, readPage } from './fixtures.ts'

const { api, world } = await openTestWorld()

const path = `/patchbay/ServiceProviders/${world.sid.P}/MaskingRules`
const defaults = { card_numbers: 1, pressed_digits: 0, patterns: [], mute_recordings: 0 }
const order = { name: 'Order numbers', expression: '\\bAB-\\d{6}\\b', replacement: 'order' }

beforeEach(async () => {
  await api.test.database.db.deleteFrom('patchbay_masking_rules').execute()
})

const problem = ({ status, body }: Answer) => [
  status,
  Reflect.get(Object(body), 'field'),
  Reflect.get(Object(body), 'msg'),
]

describe('masking rules', () => {
  test('mask card numbers by default', async () => {
    expect((await api.admin.get(path)).body).toEqual({ ...defaults, patterns_exceeded_at: null })
  })

  test('keep what a change does not name, and are recorded in the audit trail of the provider', async () => {
    const user = await signedIn(api, world.users['user of P'])
    expect((await user.put(path, { patterns: [order] })).status).toBe(204)
    expect((await user.put(path, { pressed_digits: true })).status).toBe(204)
    expect((await user.put(path, {})).status).toBe(204)
    expect((await user.get(path)).body).toEqual({
      ...defaults,
      pressed_digits: 1,
      patterns: [order],
      patterns_exceeded_at: null,
    })
    expect((await api.admin.put(path, { card_numbers: 0, patterns: [] })).status).toBe(204)
    const { data } = await readPage(user, '/patchbay/audit-trail', {
      kind: 'masking_rules',
    })
    expect(data.map(({ action, changes }) => [action, changes])).toEqual([
      [
        'update',
        [
          { field: 'card_numbers', before: 1, after: 0 },
          { field: 'patterns', before: [order], after: [] },
        ],
      ],
      ['update', [{ field: 'pressed_digits', before: 0, after: 1 }]],
      ['update', [{ field: 'patterns', before: [], after: [order] }]],
    ])
  })

  test('of another provider are not changed', async () => {
    const user = await signedIn(api, world.users['user of Q'])
    expect((await user.put(path, { card_numbers: 0 })).status).toBe(403)
    expect((await api.admin.get(path)).body).toEqual({ ...defaults, patterns_exceeded_at: null })
    expect((await api.admin.get(path.replace(world.sid.P, world.sid.Q))).body).toEqual({
      ...defaults,
      patterns_exceeded_at: null,
    })
  })

  test('are deleted with their provider', async () => {
    const service_provider_sid = await api.provider()
    const own = `/patchbay/ServiceProviders/${service_provider_sid}/MaskingRules`
    expect((await api.admin.put(own, { pressed_digits: 1 })).status).toBe(204)
    expect((await api.admin.delete(`/ServiceProviders/${service_provider_sid}`)).status).toBe(204)
    expect((await api.admin.get(own)).status).toBe(404)
    expect(await api.test.database.db.selectFrom('patchbay_masking_rules').selectAll().execute()).toEqual([])
  })

  test('of concurrent changes keep all of them', async () => {
    await Promise.all([api.admin.put(path, { card_numbers: 0 }), api.admin.put(path, { pressed_digits: 1 })])
    expect((await api.admin.get(path)).body).toEqual({
      ...defaults,
      card_numbers: 0,
      pressed_digits: 1,
      patterns_exceeded_at: null,
    })
  })
})

describe('invalid patterns are reported at their field', () => {
  const at = (change: object) => ({ patterns: [order, order, { ...order, ...change }] })
  test.each([
    ['a bracket that is not closed', { expression: '[a' }, 'expression', 'syntax of RE2: missing closing ]'],
    ['a lookahead', { expression: 'a(?=b)' }, 'expression', 'syntax of RE2: invalid or unsupported Perl syntax'],
    ['a reference to a group', { expression: '(a)\\1' }, 'expression', 'syntax of RE2: invalid escape sequence'],
    ['a match of nothing', { expression: 'a*' }, 'expression', 'must not match an empty text'],
    ['too many repetitions', { expression: '(a{1,30}){1,30}b' }, 'expression', 'is too complex'],
    ['a repetition above the limit', { expression: 'a{1001}' }, 'expression', 'syntax of RE2: invalid repeat count'],
    [
      'an expression that is too long',
      { expression: 'a'.repeat(maskingLimits.expression + 1) },
      'expression',
      'at most 200',
    ],
    ['no expression', { expression: '' }, 'expression', 'must not be empty'],
    ['no name', { name: ' ' }, 'name', 'must not be empty'],
    ['brackets in the label', { replacement: '[x' }, 'replacement', 'must not contain brackets'],
    ['a line break in the label', { replacement: 'a\nb' }, 'replacement', 'control characters'],
    ['an unknown member', { flags: 'i' }, 'flags', 'unknown field flags'],
  ])('%s', async (_name, change, field, message) => {
    for (const answer of [
      await api.admin.put(path, at(change)),
      await api.admin.post(`${path}/test`, { ...defaults, text: 'a', ...at(change) }),
    ])
      expect(problem(answer)).toEqual([400, `patterns.2.${field}`, expect.stringContaining(message)])
    expect((await api.admin.get(path)).body).toEqual({ ...defaults, patterns_exceeded_at: null })
  })

  test('more patterns than the limit', async () => {
    const patterns = Array.from({ length: maskingLimits.patterns + 1 }, () => order)
    expect(problem(await api.admin.put(path, { patterns }))).toEqual([
      400,
      'patterns',
      'patterns must be at most 20 patterns',
    ])
    expect((await api.admin.put(path, { patterns: patterns.slice(1) })).status).toBe(204)
  })
})

describe('a text can be tested', () => {
  const maskTest = async (text: string, more: object = {}) =>
    getRow(await api.admin.post(`${path}/test`, { ...defaults, patterns: [order], text, ...more }))['text']

  test('with rules that are not stored', async () => {
    const text = 'AB-123456 paid with 4111 1111 1111 1111'
    expect(await maskTest(text)).toBe('[order] paid with [card number]')
    expect(await maskTest(text, { card_numbers: 0 })).toBe('[order] paid with 4111 1111 1111 1111')
    expect(await maskTest(text, { patterns: [] })).toBe('AB-123456 paid with [card number]')
    expect(await maskTest('{"digits":"12","card":4111111111111111}', { pressed_digits: 1 })).toBe(
      '{"digits":"••","card":"[card number]"}',
    )
    expect((await api.admin.get(path)).body).toEqual({ ...defaults, patterns_exceeded_at: null })
  })

  test('by expressions that would block a backtracking engine, while other requests are answered', async () => {
    const evil = ['(a+)+$', '(a|aa)+$', '([a-zA-Z]+)*\\d$', '(?s)a.*z|a'].map((expression) => ({
      ...order,
      expression,
    }))
    const text = `${'a'.repeat(maskingLimits.testText - 1)}!`
    const startedAt = performance.now()
    const testing = maskTest(text, { patterns: evil })
    expect((await api.admin.get(path)).status).toBe(200)
    expect(await testing).not.toContain('aaa')
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test('up to its limit', async () => {
    const text = 'x'.repeat(maskingLimits.testText + 1)
    expect(problem(await api.admin.post(`${path}/test`, { ...defaults, text }))).toEqual([
      400,
      'text',
      'text must be at most 5000 characters long',
    ])
  })
})

describe('patterns that exceed their time', () => {
  test('are named to their provider and in the system status', async () => {
    api.services.masking.overruns.add(world.sid.P)
    const user = await signedIn(api, world.users['user of P'])
    expect(Date.parse(String(getRow(await user.get(path))['patterns_exceeded_at']))).toBeGreaterThan(0)
    const other = await signedIn(api, world.users['user of Q'])
    expect(getRow(await other.get(path.replace(world.sid.P, world.sid.Q)))).toMatchObject({
      patterns_exceeded_at: null,
    })
    const provider = getRow(await api.admin.get(`/ServiceProviders/${world.sid.P}`))
    const { components } = getRow(await api.admin.get('/patchbay/system-status')) as unknown as SystemStatus
    expect(components.find(({ id }) => id === 'masking')).toMatchObject({
      state: 'warning',
      detail: 'The patterns of a service provider exceeded their time in this process within a day.',
      parts: [{ name: provider['name'], state: 'warning' }],
    })
  })
})
