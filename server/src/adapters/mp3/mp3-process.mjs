// Helper process of encoder-pool.ts. Keeps the encoder of each stream by its id.
import { serveRequests } from '../../lib/serve-requests.ts'
import { createMp3Encoder } from './mp3-encoder.ts'

const encoders = new Map()

serveRequests(
  /** @param {import('./encoder-pool.ts').EncodingRequest} request */
  async ({ id, format, piece, samples, isOver }) => {
    if (isOver) {
      encoders.delete(id)
      return { encoded: new Uint8Array(0) }
    }
    if (piece === 0) encoders.set(id, createMp3Encoder(format))
    const encoder = await encoders.get(id)
    if (encoder === undefined) return { isLost: true }
    // A copy, because the next call overwrites the output buffer of the encoder.
    return { encoded: Uint8Array.from(samples === undefined ? encoder.end() : encoder.encode(samples)) }
  },
)
