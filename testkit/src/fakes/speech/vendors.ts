import { assemblyai } from './assemblyai.ts'
import { aws } from './aws.ts'
import { cartesia } from './cartesia.ts'
import { custom } from './custom.ts'
import { deepgram } from './deepgram.ts'
import { deepgramflux } from './deepgramflux.ts'
import { elevenlabs } from './elevenlabs.ts'
import type { FakeVendor } from './fake-vendor.ts'
import { gladia } from './gladia.ts'
import { google } from './google.ts'
import { houndify } from './houndify.ts'
import { ibm } from './ibm.ts'
import { inworld } from './inworld.ts'
import { microsoft } from './microsoft.ts'
import { nuance } from './nuance.ts'
import { nvidia } from './nvidia.ts'
import { openai } from './openai.ts'
import { playht } from './playht.ts'
import { resemble } from './resemble.ts'
import { rimelabs } from './rimelabs.ts'
import { soniox } from './soniox.ts'
import { speechmatics } from './speechmatics.ts'
import { verbio } from './verbio.ts'
import { voxist } from './voxist.ts'
import { wellsaid } from './wellsaid.ts'
import { whisper } from './whisper.ts'

export const fakeVendors: readonly FakeVendor[] = [
  assemblyai,
  aws,
  cartesia,
  custom,
  deepgram,
  deepgramflux,
  elevenlabs,
  gladia,
  google,
  houndify,
  ibm,
  inworld,
  microsoft,
  nuance,
  nvidia,
  openai,
  playht,
  resemble,
  rimelabs,
  soniox,
  speechmatics,
  verbio,
  voxist,
  wellsaid,
  whisper,
]
