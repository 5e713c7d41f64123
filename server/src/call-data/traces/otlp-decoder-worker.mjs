// Worker thread of otlp-decoder.ts. Decodes one export at a time, so that the main thread is not blocked.
import { parentPort } from 'node:worker_threads'
import { replyTo } from './decode-export.ts'

const answer = async ({ body, contentType, callAttributes }) =>
  parentPort.postMessage(await replyTo(body, contentType, callAttributes))

parentPort.on('message', (request) => void answer(request))
