import { expect, test } from 'vitest'
import { createLogStream, errorForLog } from './log.ts'

const line =
  '{"level":40,"time":1795000000000,"pid":1,"msg":"call records are not received","err":{"message":"taken"}}\n'

const writeLine = (isTTY: boolean): string => {
  let text = ''
  createLogStream({ isTTY, write: (part) => void (text += part) }).write(line)
  return text
}

test('writes text to a terminal and JSON elsewhere', () => {
  expect(writeLine(true)).toMatch(/^ {2}\d\d:\d\d:\d\d warn: call records are not received: taken\n$/)
  expect(writeLine(false)).toBe(line)
})

test('logs only type, message, code, and stack of an error and its cause', () => {
  const cause = Object.assign(new TypeError('cannot'), { sql: "insert 'secret'", command: { args: ['secret'] } })
  const error = Object.assign(new Error('failed', { cause }), { code: 'E_FAILED', parameters: ['secret'] })
  const loggedError = errorForLog(error)
  expect(loggedError).toMatchObject({
    type: 'Error',
    message: 'failed',
    code: 'E_FAILED',
    cause: { type: 'TypeError' },
  })
  expect(JSON.stringify(loggedError)).not.toContain('secret')
  expect(loggedError.stack).toMatch(/^\s+at /)
  expect(JSON.stringify(errorForLog('secret'))).not.toContain('secret')
})

test('removes control characters from messages', () => {
  let text = ''
  const entry = { level: 40, time: 0, msg: 'one\u001b[2J\r\ntwo' }
  createLogStream({ isTTY: true, write: (part) => void (text += part) }).write(JSON.stringify(entry))
  expect(text).toMatch(/ warn: one \[2J two\n$/)
})

test('shows the values of the fields', () => {
  let text = ''
  const entry = { level: 40, time: 0, pid: 1, hostname: 'vm', account_sid: 'a1', waiting: 4, msg: 'retrying' }
  createLogStream({ isTTY: true, write: (part) => void (text += part) }).write(JSON.stringify(entry))
  expect(text).toMatch(/ warn: retrying account_sid=a1 waiting=4\n$/)
})

test('shows the ID of the request', () => {
  let text = ''
  const entry = { level: 50, time: 0, reqId: '7f3b', msg: 'request failed', err: { message: 'of ours' } }
  createLogStream({ isTTY: true, write: (part) => void (text += part) }).write(JSON.stringify(entry))
  expect(text).toMatch(/ error: request failed: of ours \(request 7f3b\)\n$/)
})
