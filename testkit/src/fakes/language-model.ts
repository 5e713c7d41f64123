import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { asRecord } from '@patchbay/rules/traces/traces'
import { getPort } from '../servers/ports.ts'

/**
 * A fake of a language model with the API of OpenAI: `POST /v1/chat/completions`
 * (https://platform.openai.com/docs/api-reference/chat/create). Requires the key `sk-test-123456`.
 */
export interface FakeLanguageModel {
  /** Base URL of the API. */
  url: string
  key: string
  /** Bodies of the requests with a valid key. */
  requests: Record<string, unknown>[]
  /** Content of the message in the response. */
  content: string
  /** Rejects `max_tokens`, as OpenAI does for its newer models. */
  isStrict: boolean
  /** Replaces the regular response. */
  answer: ((response: ServerResponse) => unknown) | undefined
  stop(): Promise<void>
}

const key = 'sk-test-123456'

/** Starts the fake on a port of 127.0.0.1. */
export const startFakeLanguageModel = async (): Promise<FakeLanguageModel> => {
  const reply = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const fail = (response: ServerResponse, status: number, message: string) =>
    reply(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } })

  const server = createServer((request, response) => {
    void (async () => {
      const body = asRecord(JSON.parse(await text(request)))
      if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return fail(response, 404, 'Not found')
      if (request.headers.authorization !== `Bearer ${key}`) return fail(response, 401, 'Incorrect API key provided')
      fake.requests.push(body)
      if (fake.answer !== undefined) return fake.answer(response)
      if (fake.isStrict && 'max_tokens' in body)
        return fail(
          response,
          400,
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        )
      const message = { role: 'assistant', content: fake.content }
      return reply(response, 200, {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        model: body['model'],
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      })
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakeLanguageModel = {
    url: `http://127.0.0.1:${getPort(server)}/v1`,
    key,
    requests: [],
    content: '{"score": 3, "note": "fine"}',
    isStrict: false,
    answer: undefined,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}
