import { Download, FileOutput } from 'lucide-react'
import type { OwnerSid } from '../../api/record-queries.ts'
import { showErrorToast } from '../../feedback/use-action.ts'
import { Menu } from '../../ui/overlay/menu.tsx'
import { saveFile } from '../../ui/save-file.ts'
import type { ReviewQuery } from './queries.ts'

interface ExportReviewsProps {
  owner: OwnerSid
  query: ReviewQuery
}

/** Exports all reviews that match the filters, not only those on the page. */
export const ExportReviews = ({ owner, query }: ExportReviewsProps) => {
  const save = async (format: 'csv' | 'jsonl') => {
    try {
      const file = `reviews.${format}`
      const { fetchExport } = await import('../../list/fetch-export.ts')
      saveFile(file, await fetchExport(owner, file, query))
    } catch (error) {
      showErrorToast(error)
    }
  }
  return (
    <Menu
      label="Export reviews"
      icon={<FileOutput aria-hidden="true" />}
      items={[
        {
          label: 'CSV, one row per review',
          icon: <Download aria-hidden="true" />,
          onSelect: () => void save('csv'),
        },
        {
          label: 'JSON Lines, with transcripts',
          icon: <Download aria-hidden="true" />,
          onSelect: () => void save('jsonl'),
        },
      ]}
    />
  )
}
