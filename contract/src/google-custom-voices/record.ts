/** A voice cloning key is a text of about 100 kB. */
export const googleCustomVoiceLengths = { name: 64, model: 512, voice_cloning_key: 1_000_000 } as const
