import { expect, test } from 'vitest'
import { describeFailure } from './phone-failure.ts'

const url = 'wss://sip.example.com:8443'

test('names the addresses that could not be reached', () => {
  const { title } = describeFailure({ kind: 'unreachable', urls: [url, 'wss://b.example.com'] })
  expect(title).toBe('No connection to wss://sip.example.com:8443 or wss://b.example.com')
})

test('quotes the code and the reason with which the connection was closed', () => {
  const closed = { kind: 'disconnected', url } as const
  expect(describeFailure({ ...closed, code: 1001, reason: 'restart' }).title).toBe(
    'The connection to wss://sip.example.com:8443 was closed (code 1001: restart)',
  )
  expect(describeFailure({ ...closed, code: 1006, reason: '' }).title).toMatch(/\(code 1006\)$/)
  expect(describeFailure({ ...closed, code: undefined, reason: '' }).title).toMatch(/closed$/)
})

test('quotes the status, and suggests something only for statuses with a known meaning', () => {
  const rejected = { kind: 'rejected', status: 480, reason: 'Temporarily Unavailable' } as const
  expect(describeFailure({ ...rejected, detail: 'no configured application' }).title).toBe(
    'The call was rejected with 480 Temporarily Unavailable: no configured application',
  )
  expect(describeFailure({ ...rejected, detail: undefined }).hint).toMatch(/feature server/)
  expect(describeFailure({ ...rejected, status: 486, reason: 'Busy Here', detail: undefined })).toEqual({
    title: 'The call was rejected with 486 Busy Here',
    hint: undefined,
  })
})
