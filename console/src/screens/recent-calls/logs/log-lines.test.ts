import { expect, test } from 'vitest'
import { allText, filterLines, parseLogLine } from './log-lines.ts'

test('parses level, UTC time, and message of a line, and keeps its other members', () => {
  const line = parseLogLine('{"level":50,"time":1764000000123,"pid":7,"msg":"no answer"}')
  expect(line).toMatchObject({ level: 'error', time: '2025-11-24 16:00:00Z', message: 'no answer' })
  expect(JSON.parse(line.text)).toEqual({ level: 50, time: '2025-11-24 16:00:00Z', pid: 7, msg: 'no answer' })
})

test.each([
  ['plain text', { level: undefined, time: undefined, message: 'plain text', text: 'plain text' }],
  ['[1]', { message: '[1]', text: '[1]' }],
  ['{"level":"WARN","message":"m"}', { level: 'warn', message: 'm', time: undefined }],
  ['{"level":99,"time":"x"}', { level: 'fatal', message: '', time: undefined }],
  ['{"level":1}', { level: 'trace' }],
])('parses what it can of %s', (text, line) => expect(parseLogLine(text)).toMatchObject(line))

test('filters lines by level and text, and keeps lines without a level', () => {
  const lines = ['{"level":20,"msg":"dialling"}', '{"level":40,"msg":"slow"}', 'no JSON'].map(parseLogLine)
  const getMessages = (...how: [Parameters<typeof filterLines>[1], string]) =>
    filterLines(lines, ...how).map(({ message }) => message)
  expect(getMessages('all', '')).toEqual(['dialling', 'slow', 'no JSON'])
  expect(getMessages('warn', '')).toEqual(['slow', 'no JSON'])
  expect(getMessages('all', ' DIAL ')).toEqual(['dialling'])
  expect(allText(lines.slice(1))).toBe('{\n  "level": 40,\n  "msg": "slow"\n}\n\nno JSON')
})
