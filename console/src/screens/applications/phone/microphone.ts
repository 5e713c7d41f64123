/** Access to the microphone, and why there is none. */

/** A failure whose message tells the user what to do. */
export class MicrophoneError extends Error {}

const messages: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The browser does not let this page use the microphone. Allow it in the settings of the browser for this site, then call again.',
  NotFoundError: 'The browser has found no microphone. Connect one, then call again.',
  NotReadableError: 'The microphone could not be opened. Check whether another program uses it, then call again.',
}

/** Asks for the microphone. The browser asks the user, unless the user has decided before. */
export const openMicrophone = async (): Promise<MediaStream> => {
  // Absent for pages without encryption.
  const devices = navigator.mediaDevices as MediaDevices | undefined
  if (devices === undefined)
    throw new MicrophoneError('Browsers let only pages with HTTPS use the microphone. Open the console by HTTPS.')
  try {
    return await devices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } })
  } catch (error) {
    const { name, message } = error as DOMException
    throw new MicrophoneError(messages[name] ?? `The microphone could not be used: ${message}`)
  }
}

export const closeMicrophone = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop()
}
