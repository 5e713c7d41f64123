import { apiKey, type Vendor } from '../descriptor.ts'

export const openai: Vendor = {
  vendor: 'openai',
  stt: {},
  parts: [
    apiKey,
    {
      kind: 'model',
      name: 'model_id',
      label: 'Model',
      of: 'sttModels',
      required: true,
      demanded: true,
      keptIfAbsent: true,
    },
  ],
}
