import type { VerbSpec, VerbSpecs } from './verbs.ts'

/**
 * Verbs of newer platforms (0.9.6 and later) and newer properties of `llm`, which the package
 * `@jambonz/verb-specifications` lacks. The facts are those of the platform's JSON schemas, `@jambonz/schema` 0.4.15.
 */

const hook = 'object|string'

const hooks = { actionHook: hook, eventHook: hook, toolHook: hook } as const

const agent: VerbSpec = {
  properties: {
    id: 'string',
    stt: '#recognizer',
    tts: '#synthesizer',
    autoLockLanguage: 'boolean|string',
    languageConfig: 'object',
    turnDetection: 'string|object',
    bargeIn: 'object',
    noResponseTimeout: 'number',
    llm: 'object',
    ...hooks,
    greeting: 'boolean',
    earlyGeneration: 'boolean',
    noiseIsolation: 'string|object',
    mcpServers: ['#mcpServer'],
    handoff: 'object',
    hangup: 'object',
    toolFiller: 'boolean|object',
  },
}

const transfer: VerbSpec = {
  properties: {
    id: 'string',
    mode: { type: 'string', enum: ['blind', 'warm'] },
    blindMethod: { type: 'string', enum: ['refer', 'dial'] },
    callerPresent: 'boolean',
    target: ['#target'],
    callerId: 'string',
    onHoldHook: hook,
    timeout: 'number',
    confirm: 'object',
    amd: '#amd',
    disposition: 'object',
    actionHook: hook,
    eventHook: hook,
    brief: 'object',
  },
  required: ['mode', 'target'],
}

const llmProperties = {
  handoff: 'object',
  hangup: 'object',
  responseTimeoutMs: 'number',
  cancelOnResponseTimeout: 'boolean',
  cancelOnBargeIn: 'boolean',
}

const speechToSpeechVendors = [
  'openai',
  'microsoft',
  'google',
  'elevenlabs',
  'deepgram',
  'voiceagent',
  'ultravox',
  'qwen',
  'gptlive',
]

/** Names that the editor offers in addition to those of the package. */
export const newerVerbNames = [
  'agent',
  'room',
  'transfer',
  's2s',
  ...speechToSpeechVendors.map((name) => `${name}_s2s`),
]

/** Adds the verbs of newer platforms to the specifications of the package. */
export const addNewerVerbs = (specs: VerbSpecs): VerbSpecs => {
  const { conference, llm } = specs
  return {
    agent,
    transfer,
    // A synonym.
    ...(conference && { room: conference }),
    ...specs,
    ...(llm && { llm: { ...llm, properties: { ...llm.properties, ...llmProperties } } }),
  }
}
