import { type ReactNode, useState } from 'react'
import { BlockingNotice } from '../ui/overlay/dialog.tsx'

const processed =
  'Your requested changes are being processed. Please do not leave the page or hit the back button until complete.'

/**
 * Returns a function that runs work behind a notice, and the notice to render. The notice covers the page, because the
 * user must not leave it while the work runs.
 */
export const useBlockingNotice = (): {
  during: <Result>(work: () => Promise<Result>) => Promise<Result>
  notice: ReactNode
} => {
  const [isProcessed, setProcessed] = useState(false)
  return {
    async during(work) {
      setProcessed(true)
      try {
        return await work()
      } finally {
        setProcessed(false)
      }
    },
    notice: isProcessed && <BlockingNotice>{processed}</BlockingNotice>,
  }
}
