// Worker thread of encoder-pool.ts. Keeps the encoder of each recording by its id.
import { parentPort } from 'node:worker_threads'
import { createMp3Encoder } from './mp3-encoder.ts'

const encoders = new Map()

const getEncoder = (id, sampleRate) => {
  const existing = encoders.get(id)
  if (existing) return existing
  const created = createMp3Encoder(sampleRate)
  encoders.set(id, created)
  return created
}

/** Copies the result, because the next call overwrites the output buffer of the encoder. The copy is transferred. */
const encode = async ({ id, sampleRate, samples }) => {
  const encoder = await getEncoder(id, sampleRate)
  return Uint8Array.from(samples === undefined ? encoder.end() : encoder.encode(samples))
}

parentPort.on('message', ({ id, job, isOver, ...piece }) => {
  if (isOver) encoders.delete(id)
  else
    encode({ id, ...piece }).then(
      (encoded) => parentPort.postMessage({ job, encoded }, [encoded.buffer]),
      (error) => parentPort.postMessage({ job, message: error.message }),
    )
})
