// Helper process of voice-detector.ts. Keeps the state of each analysis by its id.
import { serveRequests } from '../../lib/serve-requests.ts'
import { UnreadableAudio } from './decode-audio.ts'
import { startDetection } from './detect-voice.ts'

const detections = new Map()

const end = (id) => {
  detections.get(id)?.close()
  detections.delete(id)
}

const getDetection = async ({ id, format, piece }) => {
  if (piece === 0) {
    end(id)
    detections.set(id, await startDetection(format))
  }
  return detections.get(id)
}

/** @param {import('./detect-voice.ts').VoiceRequest} request */
const handle = async (request) => {
  const detection = await getDetection(request)
  if (detection === undefined) return { isLost: true }
  if (request.bytes !== undefined) {
    detection.add(request.bytes)
    return {}
  }
  const detected = detection.finish()
  end(request.id)
  return { detected }
}

serveRequests(
  /** @param {import('./detect-voice.ts').VoiceRequest} request */
  async (request) => {
    if (request.isCanceled) {
      end(request.id)
      return {}
    }
    try {
      return await handle(request)
    } catch (error) {
      end(request.id)
      if (error instanceof UnreadableAudio) return { unreadable: error.message }
      throw error
    }
  },
)
