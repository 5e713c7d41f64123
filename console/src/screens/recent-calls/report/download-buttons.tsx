import { Download } from 'lucide-react'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { Button } from '../../../ui/button.tsx'
import type { ReportFile } from './download-report.ts'
import styles from './downloads.module.css'

interface DownloadButtonsProps {
  download: (kind: ReportFile) => Promise<void>
  /** Why the files cannot be downloaded yet. */
  disabledReason?: string | undefined
}

/** Downloads the files of a report, and says below the buttons why one could not be created. */
export const DownloadButtons = ({ download, disabledReason }: DownloadButtonsProps) => {
  const save = useAction({ run: download, quiet: true })
  const icon = <Download size={14} aria-hidden="true" />
  return (
    <>
      <div className={styles['downloads']}>
        <Button
          icon={icon}
          busy={save.isPending && save.variables === 'html'}
          disabledReason={disabledReason}
          onClick={() => save.mutate('html')}
        >
          Download report
        </Button>
        <Button
          icon={icon}
          busy={save.isPending && save.variables === 'pcap'}
          disabledReason={disabledReason}
          onClick={() => save.mutate('pcap')}
        >
          Download pcap
        </Button>
      </div>
      {save.error && <ErrorBanner error={save.error} />}
    </>
  )
}
