import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { cardNumberLabel as label } from '@patchbay/contract/shared/masking-limits'
import { describe, expect, test } from 'vitest'
import { maskEventSequences, maskLineSequences, maskSpanSequences } from './mask-sequences.ts'

const parts = ['four one one one', '1111, uh', 'and 1111', '1 1 1 1.']

describe('a card number that is spread over', () => {
  test('the turns of a speaker is masked in all of them, and what the other says is kept', async () => {
    const events = parts.flatMap((transcript) => [
      { type: 'user_transcript', transcript: transcript.replace('four', 'It is four') },
      { type: 'llm_response', response: 'Go on, please.' },
      { type: 'turn_end', transcript, response: 'Go on.' },
    ])
    const masked = await maskEventSequences(events)
    expect(masked.flatMap(({ type, transcript }) => (type === 'user_transcript' ? [transcript] : []))).toEqual([
      `It is ${label}`,
      label,
      label,
      `${label}.`,
    ])
    expect(masked.filter(({ type }) => type === 'llm_response')).toEqual(
      events.filter(({ type }) => type === 'llm_response'),
    )
    expect(JSON.stringify(masked)).not.toMatch(/one|1/)
    expect(await maskEventSequences(masked)).toEqual(masked)
  })

  test('keys is masked, with and without terminators', async () => {
    const digits = Array.from('4111111111111111')
    for (const end of ['', '#']) {
      const events = digits.map((digit) => ({ type: 'dtmf', dtmf: `${digit}${end}` }))
      const masked = await maskEventSequences([{ type: 'dtmf', dtmf: '7' }, ...events, { type: 'dtmf', dtmf: '#' }])
      expect(masked.map(({ dtmf }) => dtmf)).toEqual(['7', ...digits.map(() => (end === '' ? '•' : '••')), '#'])
    }
    const numbers = await maskEventSequences(digits.map((digit) => ({ dtmf: Number(digit) })))
    expect(numbers).toEqual(digits.map(() => ({ dtmf: '•' })))
  })

  test('the words of a recognition, and messages of a role, is masked', async () => {
    const recognition = ['card', '4111', '1111', '1111', '1111', 'thanks'].map((word) => ({ word, confidence: 0.9 }))
    const [recognized] = await maskEventSequences([
      { type: 'Results', channel: { alternatives: [{ words: recognition }] } },
    ])
    expect(JSON.stringify(recognized)).not.toContain('11')
    const messages = parts.flatMap((content) => [
      { role: 'user', content },
      { role: 'assistant', content: 'four' },
    ])
    const [prompt] = await maskEventSequences([{ type: 'prompt', body: JSON.stringify({ messages }) }])
    expect(JSON.stringify(prompt)).not.toMatch(/1111|one/)
    expect(JSON.stringify(prompt).split('four')).toHaveLength(5)
  })

  test('log lines is masked', async () => {
    const lines = Array.from('4111111111111111').flatMap((digit) => [`{"msg":"got a key","dtmf":"${digit}"}`, 'text 1'])
    expect(await maskLineSequences(lines)).toEqual(
      lines.map((line) => (line === 'text 1' ? line : '{"msg":"got a key","dtmf":"•"}')),
    )
  })

  test('spans is masked in their order in time, for each channel', async () => {
    const createSpan = (name: string, at: number, attributes: Record<string, string>) => ({
      name,
      startTimeUnixNano: String(100 + at),
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    })
    const createResult = (transcript: string) => JSON.stringify({ alternatives: [{ transcript }] })
    const spans = [
      ...parts.flatMap((transcript, at) => [
        createSpan('stt-listen:1', at, { channel: '1', 'stt.result': createResult(transcript) }),
        createSpan('stt-listen:2', at, { channel: '2', 'stt.result': createResult('one moment') }),
      ]),
      ...Array.from('5555555555554444').map((dtmf, at) => createSpan(`dtmf:${dtmf}`, at, { dtmf })),
    ].toReversed()
    const all = [
      { resource: { attributes: [] }, instrumentationLibrarySpans: [{ spans }] },
    ] as unknown as ResourceSpans[]
    const text = JSON.stringify(await maskSpanSequences(all))
    expect(text).not.toMatch(/1111|one one|dtmf:\d|"[45]"/)
    expect(text.split('one moment')).toHaveLength(5)
    expect(text.split('dtmf:•')).toHaveLength(17)
  })
})

test('numbers that are no card number are kept in their texts', async () => {
  const events = [
    ...['4111', '1111', '1111', '1112'].map((transcript) => ({ type: 'user_transcript', transcript })),
    ...['4111 1111', 'hold on', '1111 1111'].map((text) => ({ type: 'other', text })),
    ...['4111', '1111', '1111', '1111'].map((price) => ({ type: 'price', price })),
    ...['4111', '1111', '1111', '1111'].map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'agent', text })),
  ]
  expect(await maskEventSequences(events)).toEqual(events)
})
