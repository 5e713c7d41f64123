import type { MaskingRules } from '@patchbay/contract/masking-rules'
import { uncheckedLabel } from '@patchbay/contract/shared/masking-limits'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../demo/seeded-random.ts'
import { maskLine, maskValue } from './mask-values.ts'
import { compileRules, createTextMasker, defaultRules } from './text-masker.ts'

const createMasker = async (rules: Partial<MaskingRules> = {}, remainingMs = 60_000) =>
  createTextMasker(await compileRules({ ...defaultRules, ...rules }), { remainingMs })

const pattern = (expression: string, replacement = 'order') => ({ name: replacement, expression, replacement })

const card = '4111 1111 1111 1111'

describe('JSON', () => {
  test('stays JSON: texts and numbers that are card numbers are replaced at any depth', async () => {
    const masker = await createMasker()
    const body = JSON.stringify({ speech: { alternatives: [{ transcript: `it is ${card}`, confidence: 0.9 }] } })
    const line = `{"level":30,"msg":"sent","card":4111111111111111,"long":4000000000000000006,"ns":1764176435000123456,"body":${JSON.stringify(body)}}`
    expect(maskLine(line, masker)).toBe(
      `{"level":30,"msg":"sent","card":"[card number]","long":"[card number]","ns":1764176435000123456,"body":${JSON.stringify(body.replace(card, '[card number]'))}}`,
    )
  })

  test('is unchanged if it contains nothing to mask', async () => {
    const masker = await createMasker({ patterns: [pattern('order \\d+')] })
    for (const line of ['{ "a" : 1.50, "b":"\\u00e9" }', '[1,2 ]', '"x"', '', '{', '[[', 'text'])
      expect(maskLine(line, masker)).toBe(line)
  })

  test('that is nested too deeply, or is incomplete, is masked as a text', async () => {
    const masker = await createMasker()
    const deep = `${'['.repeat(60_000)}"${card}"${']'.repeat(60_000)}`
    for (const line of [deep, `{"text":"${card}`, `{"body":"{\\"text\\":\\"${card}`]) {
      const masked = maskLine(line, masker)
      expect(masked).toBe(line.replace(card, '[card number]'))
    }
  })

  test('keeps IDs, phone numbers, and measurements', async () => {
    const masker = await createMasker({ patterns: [pattern('\\d+', 'digits')] })
    const value = {
      callSid: '4111111111111111',
      call_id: '4111111111111111',
      'sip.call_id': '4111111111111111',
      traceId: '4111111111111111',
      from: '4222222222222',
      calling_number: '4222222222222',
      'stt.latency_ms': '412,398,1204,455,601',
      'stt.talkspurts': '[[1764176435,1764176437]]',
      count: 12,
      answered: true,
      nothing: null,
    }
    expect(maskValue(value, masker)).toBe(value)
    expect(maskValue({ ...value, paid: '12', text: 'a 12' }, masker)).toEqual({
      ...value,
      paid: '[digits]',
      text: 'a [digits]',
    })
  })

  test('names of members, and values under names of IDs, numbers, and times in arguments of tools', async () => {
    const masker = await createMasker()
    const [digits, short] = ['4111111111111111', '4222222222222']
    const own = { call_sid: digits, from: digits, start_time: digits, trace_id: digits }
    for (const name of ['arguments', 'args', 'parameters', 'tool_input', 'lk.pii.function_tool.arguments']) {
      const tool = {
        card_id: digits,
        from: digits,
        charge_time: card,
        customer: { id: 4_111_111_111_111_111, phone_number: short, at_time: 1_764_176_435_000 },
        [digits]: { [`${card} `]: 1 },
      }
      const masked = {
        card_id: '[card number]',
        from: '[card number]',
        charge_time: '[card number]',
        customer: { id: '[card number]', phone_number: short, at_time: 1_764_176_435_000 },
        '[card number]': { '[card number] ': 1 },
      }
      expect(maskValue({ ...own, [name]: tool }, masker)).toEqual({ ...own, [name]: masked })
      expect(maskValue({ ...own, [name]: JSON.stringify(tool) }, masker)).toEqual({
        ...own,
        [name]: JSON.stringify(masked),
      })
    }
    expect(maskValue({ ...own, card_id: digits, payment_id: digits, pan: digits }, masker)).toEqual({
      ...own,
      card_id: '[card number]',
      payment_id: '[card number]',
      pan: '[card number]',
    })
  })

  test('keeps members with special names', async () => {
    const masker = await createMasker()
    const line = `{"__proto__":{"text":"${card}"},"constructor":"${card}"}`
    expect(maskLine(line, masker)).toBe(line.replaceAll(card, '[card number]'))
  })
})

describe('pressed digits', () => {
  test('are masked by a setting', async () => {
    const event = { dtmf: '4', digits: '1234#', reason: 'dtmfDetected', nested: { dtmf: 7 } }
    expect(maskValue(event, await createMasker())).toBe(event)
    expect(maskValue(event, await createMasker({ pressed_digits: 1 }))).toEqual({
      dtmf: '•',
      digits: '•••••',
      reason: 'dtmfDetected',
      nested: { dtmf: '•' },
    })
  })
})

describe('patterns', () => {
  test('replace their matches with the label, after card numbers', async () => {
    const masker = await createMasker({
      patterns: [pattern('(?i)order \\w+-\\d+'), pattern('[\\w.]+@[\\w.]+', 'email address'), pattern('\\d', 'digit')],
    })
    expect(masker.mask(`Order AB-12 of ann@example.org, paid with ${card}, 2 items`)).toBe(
      '[order] of [email address], paid with [card number], [digit] items',
    )
  })

  test('do not match in labels, so masking again changes nothing', async () => {
    const masker = await createMasker({ patterns: [pattern('[a-z]+', 'word'), pattern('card|order', 'order')] })
    const masked = masker.mask(`my ${card}`)
    expect(masked).toBe('[word] [card number]')
    expect(masker.mask(masked)).toBe(masked)
  })

  test('leave nothing after 200 matches in a text', async () => {
    const masker = await createMasker({ patterns: [pattern('secret')] })
    expect(masker.mask(`${'secret '.repeat(199)}end`)).toBe(`${'[order] '.repeat(199)}end`)
    const masked = masker.mask(`${'secret '.repeat(300)}end`)
    expect(masked).toMatch(/\[order\]$/)
    expect(masked).not.toContain('secret')
    expect(masked).not.toContain('end')
  })

  test('replace whole texts after their time is used up', async () => {
    const masker = await createMasker({ patterns: [pattern('secret')] }, 0)
    expect(masker.mask('a secret')).toBe(uncheckedLabel)
    expect(masker.mask('')).toBe('')
    expect(masker.mask(uncheckedLabel)).toBe(uncheckedLabel)
  })

  test.each(['(a+)+$', '(a|a)*b', '(?s)a.*z|a', '(x+x+)+y', '(.*)(.*)(.*)(.*)\\d', '(a{1,10}){1,10}$'])(
    '%s takes no exponential time',
    async (expression) => {
      const masker = await createMasker({ patterns: [pattern(expression)] })
      for (const text of [`${'a'.repeat(65_535)}!`, `${'x'.repeat(65_535)}!`, 'aaaa bbbb '.repeat(6_500)])
        expect(typeof masker.mask(text)).toBe('string')
    },
  )
})

test('random values are masked without an error, and masking them again changes nothing', async () => {
  const { pick, below } = createRandom(3434)
  const masker = await createMasker({ pressed_digits: 1, patterns: [pattern('(?i)order[ #]*\\d+')] })
  const pieces = [
    card,
    'Order #12',
    'order',
    '{"a":"',
    '"}',
    '[',
    ']',
    '\\',
    '\ud800',
    ' ',
    'four one',
    '•',
    '12',
    'dtmf',
  ]
  const createText = () => Array.from({ length: below(12) }, () => pick(pieces)).join('')
  const createValue = (depth: number): unknown => {
    const kind = below(depth > 3 ? 3 : 6)
    if (kind === 0) return createText()
    if (kind === 1) return pick([0, 1.5, -1, 4111111111111111, true, null])
    if (kind === 2) return JSON.stringify({ dtmf: createText(), text: createText() })
    if (kind === 3) return Array.from({ length: below(4) }, () => createValue(depth + 1))
    return Object.fromEntries(
      Array.from({ length: below(4) }, () => [pick(['a', 'dtmf', 'callSid']), createValue(depth + 1)]),
    )
  }
  for (let round = 0; round < 3000; round += 1) {
    const value = createValue(0)
    const masked = maskValue(value, masker)
    expect(maskValue(masked, masker)).toEqual(masked)
  }
})

test('a pattern that is slow on many texts uses up its time, and the other texts are replaced as a whole', async () => {
  const masker = await createMasker({ patterns: [pattern('(?s)a.*z|a')] }, 100)
  const startedAt = performance.now()
  const masked = Array.from({ length: 100 }, () => masker.mask('a'.repeat(65_536)))
  expect(masked.at(-1)).toBe(uncheckedLabel)
  for (const text of masked) expect(text).not.toContain('a'.repeat(10))
  expect(performance.now() - startedAt).toBeLessThan(30_000)
})
