import { expect, test } from 'vitest'
import { allText, parseLogLine, matching } from './log-lines.ts'

test('a line tells its level, its time in UTC and what happened; the rest comes with it', () => {
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
])('%s is read as far as it says something', (text, line) => expect(parseLogLine(text)).toMatchObject(line))

test('lines are left out by level and by text; those of no level stay', () => {
  const lines = ['{"level":20,"msg":"dialling"}', '{"level":40,"msg":"slow"}', 'no JSON'].map(parseLogLine)
  const shown = (...how: [Parameters<typeof matching>[1], string]) =>
    matching(lines, ...how).map(({ message }) => message)
  expect(shown('all', '')).toEqual(['dialling', 'slow', 'no JSON'])
  expect(shown('warn', '')).toEqual(['slow', 'no JSON'])
  expect(shown('all', ' DIAL ')).toEqual(['dialling'])
  expect(allText(lines.slice(1))).toBe('{\n  "level": 40,\n  "msg": "slow"\n}\n\nno JSON')
})
