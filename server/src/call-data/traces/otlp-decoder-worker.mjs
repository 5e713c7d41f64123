// The thread behind otlp-decoder.ts: decodes one export at a time, so that none of them holds up other requests.
import { parentPort } from 'node:worker_threads'
import { replyTo } from './decode-export.ts'

const answer = async ({ body, contentType }) => parentPort.postMessage(await replyTo(body, contentType))

parentPort.on('message', (request) => void answer(request))
