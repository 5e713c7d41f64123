// Worker thread of otlp-decoder.ts. Decodes one export at a time, so that the main thread is not blocked.
import { parentPort } from 'node:worker_threads'
import { replyTo } from './decode-export.ts'

/** Resolves the request for masking rules that waits, if there is one. */
let receiveRules

const findRules = (traces) =>
  new Promise((resolve) => {
    receiveRules = resolve
    parentPort.postMessage({ traces })
  })

const answer = async ({ body, contentType, callAttributes }) =>
  parentPort.postMessage(await replyTo(body, contentType, { callAttributes, findRules }))

parentPort.on('message', (message) => {
  if ('rules' in message) receiveRules(message.rules)
  else void answer(message)
})
