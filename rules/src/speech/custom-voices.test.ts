import { newGoogleCustomVoice } from '@patchbay/contract/google-custom-voices'
import { describe, expect, test } from 'vitest'
import { cutKey, validateCustomVoice } from './custom-voices.ts'

describe('SPEECH-51 SPEECH-52 SPEECH-54 a custom voice', () => {
  const whole = {
    name: 'Our voice',
    model: 'projects/1/locations/us/models/2',
    use_voice_cloning_key: false,
    hasKey: false,
  }

  test.each([
    ['with name and model', {}, []],
    ['without a name', { name: ' ' }, ['name']],
    ['without a model', { model: '' }, ['model']],
    ['without both', { name: '', model: ' ' }, ['name', 'model']],
    ['of a key that is there, without a model', { model: '', use_voice_cloning_key: true, hasKey: true }, []],
    ['of a key, without one', { use_voice_cloning_key: true }, ['voice_cloning_key_file']],
    ['of a key that is there, without a name', { name: '', use_voice_cloning_key: true, hasKey: true }, ['name']],
    ['of a model, with a key', { hasKey: true }, []],
  ])('SPEECH-51 SPEECH-52 %s', (_, more, wrong) => {
    expect(Object.keys(validateCustomVoice({ ...whole, ...more }))).toEqual(wrong)
  })

  test.each([
    [true, 1],
    [false, 0],
    ['1', 1],
    [0, 0],
    [2, undefined],
    ['yes', undefined],
  ])('parses the flag %j as %j', (input, flag) => {
    const body = { speech_credential_sid: 'x', name: 'n', model: 'm', use_voice_cloning_key: input }
    expect(newGoogleCustomVoice.safeParse(body).data?.use_voice_cloning_key).toBe(flag)
  })
})

test('truncates a key to its first hundred characters', () => {
  expect(cutKey('k'.repeat(5000))).toBe(`${'k'.repeat(100)}...`)
})
