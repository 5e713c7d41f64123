import { expect, test } from 'vitest'
import { requestText, sizeText, splitLines, verdictText } from './format-report.ts'

test('formats a request in HTTP notation with an indented JSON body', () => {
  const request = {
    method: 'POST',
    url: 'https://app.example.org/call',
    headers: { 'Content-Type': 'application/json' },
  }
  expect(requestText({ ...request, body: '{"from":"1"}' })).toBe(
    'POST https://app.example.org/call\nContent-Type: application/json\n\n{\n  "from": "1"\n}',
  )
  expect(requestText({ method: 'GET', url: 'https://app.example.org', headers: {}, body: null })).toBe(
    'GET https://app.example.org',
  )
})

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1500, '1.5 kB'],
])('%i bytes: %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

const fault = { message: 'no', line: null, column: null }

test.each([
  [{ failure: 'late', faults: [fault], faults_total: 1 }, 'No answer'],
  [{ failure: null, faults: [], faults_total: 0 }, 'Good'],
  [{ failure: null, faults: [], faults_total: 0, warnings: [fault, fault] }, '2 problems'],
  [{ failure: null, faults: [fault], faults_total: 1 }, '1 problem'],
  [{ failure: null, faults: [fault], faults_total: 70 }, '70 problems'],
])('%j: %s', (report, text) => {
  const rest = {
    request: { method: 'GET', url: '', headers: {}, body: null },
    milliseconds: 1,
    answer: null,
    verbs: [],
    warnings: [],
  }
  expect(verdictText({ ...rest, ...report })).toBe(text)
})

test('truncates a text after 2,000 lines or 100,000 characters', () => {
  expect(splitLines('a\nb')).toEqual({ lines: ['a', 'b'], isCut: false })
  expect(splitLines('\n'.repeat(1999))).toMatchObject({ isCut: false, lines: { length: 2000 } })
  expect(splitLines('\n'.repeat(2000))).toMatchObject({ isCut: true, lines: { length: 2000 } })
  expect(splitLines('x'.repeat(100_001)).isCut).toBe(true)
})
