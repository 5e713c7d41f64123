// A thread behind encoder-pool.ts: the encoders of recordings, by a number each.
import { parentPort } from 'node:worker_threads'
import { createMp3Encoder } from './mp3-encoder.ts'

const encoders = new Map()

const encoderOf = (id, sampleRate) => {
  const known = encoders.get(id)
  if (known) return known
  const made = createMp3Encoder(sampleRate)
  encoders.set(id, made)
  return made
}

/** What encoders answer is overwritten by the next, so it is copied, and the copy given away. */
const work = async ({ id, sampleRate, samples }) => {
  const encoder = await encoderOf(id, sampleRate)
  return Uint8Array.from(samples === undefined ? encoder.end() : encoder.encode(samples))
}

parentPort.on('message', ({ id, job, isOver, ...piece }) => {
  if (isOver) encoders.delete(id)
  else
    work({ id, ...piece }).then(
      (encoded) => parentPort.postMessage({ job, encoded }, [encoded.buffer]),
      (error) => parentPort.postMessage({ job, message: error.message }),
    )
})
