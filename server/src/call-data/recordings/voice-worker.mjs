// Worker thread of voice-detector.ts. Analyzes one file at a time.
import { parentPort } from 'node:worker_threads'
import { UnreadableAudio } from './decode-audio.ts'
import { startDetection } from './detect-voice.ts'

let detection

const end = () => {
  detection?.close()
  detection = undefined
}

/** @param {import('./detect-voice.ts').VoiceRequest} request */
const handle = async ({ format, bytes }) => {
  if (format !== undefined) {
    end()
    detection = await startDetection(format)
  }
  if (bytes !== undefined) {
    detection.add(bytes)
    return {}
  }
  const detected = detection.finish()
  end()
  return { detected }
}

parentPort.on('message', (request) => {
  handle(request).then(
    (reply) => parentPort.postMessage(reply),
    (error) => {
      end()
      parentPort.postMessage({
        problem: error instanceof UnreadableAudio ? 'unreadable' : 'failed',
        message: error.message,
      })
    },
  )
})
