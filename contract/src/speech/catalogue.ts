import type { Vendor } from './descriptor.ts'
import { assemblyai } from './vendors/assemblyai.ts'
import { aws } from './vendors/aws.ts'
import { cartesia } from './vendors/cartesia.ts'
import { cobalt } from './vendors/cobalt.ts'
import { custom } from './vendors/custom.ts'
import { deepgram } from './vendors/deepgram.ts'
import { deepgramflux } from './vendors/deepgramflux.ts'
import { elevenlabs } from './vendors/elevenlabs.ts'
import { gladia } from './vendors/gladia.ts'
import { google } from './vendors/google.ts'
import { houndify } from './vendors/houndify.ts'
import { ibm } from './vendors/ibm.ts'
import { inworld } from './vendors/inworld.ts'
import { microsoft } from './vendors/microsoft.ts'
import { nuance } from './vendors/nuance.ts'
import { nvidia } from './vendors/nvidia.ts'
import { openai } from './vendors/openai.ts'
import { playht } from './vendors/playht.ts'
import { resemble } from './vendors/resemble.ts'
import { rimelabs } from './vendors/rimelabs.ts'
import { soniox } from './vendors/soniox.ts'
import { speechmatics } from './vendors/speechmatics.ts'
import {
  gemini,
  giggy,
  gradium,
  kugelaudio,
  modulate,
  nineninesix,
  paxa,
  phonic,
  speechify,
  xai,
  zoom,
} from './vendors/untested.ts'
import { verbio } from './vendors/verbio.ts'
import { voxist } from './vendors/voxist.ts'
import { wellsaid } from './vendors/wellsaid.ts'
import { whisper } from './vendors/whisper.ts'

/** All speech vendors, sorted by name. A new vendor needs its descriptor here and its name in `names.ts`. */
export const vendors: readonly Vendor[] = [
  assemblyai,
  aws,
  cartesia,
  cobalt,
  custom,
  deepgram,
  deepgramflux,
  elevenlabs,
  gemini,
  giggy,
  gladia,
  google,
  gradium,
  ibm,
  inworld,
  kugelaudio,
  microsoft,
  modulate,
  nineninesix,
  nuance,
  nvidia,
  openai,
  paxa,
  phonic,
  playht,
  resemble,
  rimelabs,
  soniox,
  houndify,
  speechify,
  speechmatics,
  verbio,
  voxist,
  wellsaid,
  whisper,
  xai,
  zoom,
]

const prefix = 'custom:'

/** Returns the vendor of a stored credential. Values such as `custom:acme` belong to the custom vendor. */
export const findVendor = (stored: string): Vendor | undefined =>
  vendors.find((candidate) => (candidate.named ? stored.startsWith(prefix) : candidate.vendor === stored))

/** Returns the stored value of a custom vendor, such as `custom:acme`. */
export const namedVendor = (name: string): string => `${prefix}${name}`
