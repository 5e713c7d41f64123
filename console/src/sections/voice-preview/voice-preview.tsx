import { type KeyboardEvent, useEffect, useState } from 'react'
import { type Phrase, type Spoken, say } from '../../api/audio.ts'
import { useAction } from '../../feedback/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './voice-preview.module.css'

interface VoicePreviewProps {
  /** The account whose credential is used. Undefined for credentials of the provider. */
  account_sid: string | undefined
  /** Undefined if no stored credential has the voice. */
  speech_credential_sid: string | undefined
  language: string
  voice: string
}

const max = 500

/** Formats the duration and the size of a preview. */
const measured = ({ audio, firstByteMs }: Spoken): string => {
  const size = `${(audio.size / 1000).toFixed(1)} kB`
  return firstByteMs === undefined ? size : `First byte after ${Math.round(firstByteMs)} ms, ${size}`
}

/** Synthesizes a sentence with a voice. Nothing is stored, and a form can contain it without submitting its input. */
export const VoicePreview = ({ account_sid, speech_credential_sid, language, voice }: VoicePreviewProps) => {
  const [text, setText] = useState('Hello, this is how I sound.')
  const speaking = useAction({
    run: async ({ account, phrase }: { account: string; phrase: Phrase }) => {
      const spoken = await say(account, phrase)
      return { spoken, address: URL.createObjectURL(spoken.audio) }
    },
  })
  const address = speaking.data?.address
  useEffect(() => () => (address === undefined ? undefined : URL.revokeObjectURL(address)), [address])
  const blocked = (): string | undefined => {
    if (speech_credential_sid === undefined) return 'No speech service is stored for this vendor and label.'
    if (account_sid === undefined) return 'There is no account for the preview.'
    if (voice === '') return 'Choose a voice first.'
    return text.trim() === '' ? 'Enter a sentence.' : undefined
  }
  const speak = () => {
    if (blocked() !== undefined || account_sid === undefined || speech_credential_sid === undefined) return
    speaking.mutate({
      account: account_sid,
      phrase: { speech_credential_sid, text: text.trim(), language: language || 'en-US', voice },
    })
  }
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    // The form around it is not meant.
    event.preventDefault()
    speak()
  }
  return (
    <div>
      <TextField
        label="Sentence"
        value={text}
        maxLength={max}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onEnter}
        labelAction={
          <Button size="small" busy={speaking.isPending} disabledReason={blocked()} onClick={speak}>
            Hear it
          </Button>
        }
      />
      {speaking.data && (
        <div className={styles['said']}>
          {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- its text is shown above it */}
          <audio key={address} src={speaking.data.address} controls autoPlay aria-label="Voice preview" />
          <output className="note">{measured(speaking.data.spoken)}</output>
        </div>
      )}
    </div>
  )
}
