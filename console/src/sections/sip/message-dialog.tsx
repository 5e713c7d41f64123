import { sentence } from '@patchbay/rules/sip/findings/rule'
import { describeEarly, hostAt, type SipArrow, type SipLadder, secondsText } from '@patchbay/rules/sip/ladder'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { formatMedia } from './ladder-rows.ts'
import styles from './sip.module.css'

interface MessageDialogProps {
  ladder: SipLadder
  arrow: SipArrow
  /** to the message before and after, where there are such */
  onBefore: (() => void) | undefined
  onAfter: (() => void) | undefined
  onCompare: () => void
  onClose: () => void
}

const formatRetransmissions = ({ at, again }: SipArrow): string =>
  again.map((time) => secondsText(time - at)).join(', ')

/** Shows a complete SIP message. */
export const MessageDialog = ({ ladder, arrow, onBefore, onAfter, onCompare, onClose }: MessageDialogProps) => {
  const { leg, title, from, to, at, sinceFirst, again, agent, transport, raw, message, media } = arrow
  const early = describeEarly(arrow)
  return (
    <Dialog
      title={title}
      size="large"
      closeOnBackdrop
      onClose={onClose}
      footer={
        <>
          <Button disabledReason={onBefore ? undefined : 'This is the first.'} onClick={onBefore}>
            Previous
          </Button>
          <Button disabledReason={onAfter ? undefined : 'This is the last.'} onClick={onAfter}>
            Next
          </Button>
          <Button onClick={onCompare}>Compare with another</Button>
        </>
      }
    >
      <div tabIndex={-1} data-autofocus className={styles['read']}>
        {message === undefined && (
          <Banner tone="warn" title="This is not a valid SIP message.">
            The message is shown as captured.
          </Banner>
        )}
        {message?.isCut && (
          <Banner tone="warn" title="The end of this message is missing.">
            The body is shorter than its Content-Length.
          </Banner>
        )}
        <DefinitionList
          entries={[
            ...(ladder.legs.length > 1 ? [['Leg', ladder.legs[leg]?.name ?? ''] as const] : []),
            ['From', hostAt(ladder, from), { mono: true }],
            ['To', hostAt(ladder, to), { mono: true }],
            ['Time', <DateTime key="time" iso={new Date(at / 1000).toISOString()} />],
            ['After the first', secondsText(sinceFirst)],
            ...(early === undefined ? [] : [['Clock', sentence(early)] as const]),
            ...(agent === undefined ? [] : [['Capture agent', agent, { mono: true }] as const]),
            ['Transport', transport],
            ...(again.length === 0
              ? []
              : [['Sent again', `${again.length} times, after ${formatRetransmissions(arrow)}`] as const]),
            ...(media.length === 0 ? [] : [['Media', formatMedia(media)] as const]),
          ]}
        />
        <div className={styles['text']}>
          <div className={styles['copy']}>
            <CopyButton value={raw} label="Copy the message" displayText={title} />
          </div>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
          <pre tabIndex={0} aria-label="The whole message">
            {raw}
          </pre>
        </div>
      </div>
    </Dialog>
  )
}
