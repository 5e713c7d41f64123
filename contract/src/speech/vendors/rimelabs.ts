import { apiKey, options, type Vendor } from '../descriptor.ts'

export const rimelabs: Vendor = {
  vendor: 'rimelabs',
  tts: { languages: ['eng'] },
  parts: [
    apiKey,
    {
      kind: 'model',
      name: 'model_id',
      label: 'Model',
      of: 'models',
      required: true,
      demanded: true,
      keptIfAbsent: true,
    },
    options(
      { speedAlpha: 1, reduceLatency: true },
      'https://rimelabs.mintlify.app/api-reference/endpoint/streaming-mp3#variable-parameters',
    ),
  ],
}
