// Worker thread of masking-thread.ts. Masks the items of one job at a time.
import { parentPort } from 'node:worker_threads'
import { maskItems } from './mask-items.ts'

/** @param {import('./mask-items.ts').MaskingJob} job */
const mask = async (job) => {
  try {
    const items = []
    for await (const item of maskItems(job)) items.push(item)
    return { items }
  } catch (error) {
    return { problem: error.message }
  }
}

parentPort.on('message', (job) => void mask(job).then((reply) => parentPort.postMessage(reply)))
