import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'

/** The checks that a feature server makes before it executes a command. */

export type Body = Readonly<Record<string, unknown>>

/** An error response of the feature server. */
export class Rejection extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, body: { msg: string } | { errors: readonly object[] }) {
    super(JSON.stringify(body))
    this.status = status
    this.body = body
  }
}

const reject = (status: number, msg: string): never => {
  throw new Rejection(status, { msg })
}

const require = createRequire(import.meta.url)
const { validateVerb } = require('@jambonz/verb-specifications') as {
  validateVerb: (name: string, data: object) => void
}

/** Reads the body of a request. Like Express, ignores a body that is empty or not declared as JSON. */
export const readBody = async (request: IncomingMessage): Promise<Body> => {
  const content = await text(request)
  if (content === '' || !/^application\/json(?:;|$)/.test(request.headers['content-type'] ?? '')) return {}
  try {
    return JSON.parse(content) as Body
  } catch {
    return reject(400, 'The body is not valid JSON')
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): boolean => typeof value === 'string'
const isBoolean = (value: unknown): boolean => ['true', 'false', '0', '1'].includes(String(value))
const isInteger = (value: unknown): boolean => /^-?\d+$/.test(String(value))
const isSid = (value: unknown): boolean => typeof value === 'string' && value.length === 36

/** Types of the members of a new call. Only `from` and `to` are required. */
const newCallTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  application_sid: isSid,
  answerOnBridge: isBoolean,
  from: (value) => typeof value === 'string' && value.length >= 1 && value.length <= 256,
  fromHost: isText,
  to: isObject,
  callerName: isText,
  amd: isObject,
  tag: isObject,
  app_json: isText,
  account_sid: isSid,
  timeout: isInteger,
  timeLimit: isInteger,
  call_hook: isObject,
  call_status_hook: isObject,
  speech_synthesis_vendor: isText,
  speech_synthesis_language: isText,
  speech_synthesis_voice: isText,
  speech_recognizer_vendor: isText,
  speech_recognizer_language: isText,
  srtp: isBoolean,
}

/** @throws Rejection 400 for members of a wrong type, or 500 for unknown members and invalid destinations */
export const checkNewCall = (body: Body): void => {
  const wrong = Object.entries(newCallTypes).filter(([name, isValid]) => {
    const isAbsent = body[name] === undefined && name !== 'from' && name !== 'to'
    return !isAbsent && !isValid(body[name])
  })
  if (wrong.length > 0)
    throw new Rejection(400, {
      errors: wrong.map(([path]) => ({ type: 'field', msg: `Invalid ${path}`, path, location: 'body' })),
    })
  const { app_json, ...call } = body
  if (!call['call_hook'] && !app_json) reject(400, 'either call_hook or app_json is required')
  try {
    validateVerb('rest:dial', { call_hook: {}, ...call })
  } catch (error) {
    reject(500, (error as Error).message)
  }
}

/** @throws Rejection 400 or 422 for a change that does not fit the call */
export const checkCallChange = (body: Body, call_sid: string, callStatus: string | undefined): void => {
  const { call_hook, call_status_hook, call_status } = body
  if (call_status_hook && !call_hook)
    reject(400, `call_status_hook can be updated only when call_hook is also being updated for call_sid ${call_sid}`)
  if (callStatus === undefined) reject(422, `call session is gone for call_sid ${call_sid}`)
  const isAnswered = callStatus === 'in-progress'
  if ((call_status === 'completed' && !isAnswered) || (call_status === 'no-answer' && isAnswered))
    reject(422, `current call state is incompatible with requested action for call_sid ${call_sid}`)
}

/** Returns whether a message has all required and no unknown members. */
export const checkMessage = (body: Body): boolean => {
  try {
    validateVerb('message', body)
    return true
  } catch {
    return false
  }
}
