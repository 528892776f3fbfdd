/** How the pages of setup links look. */
export interface Branding {
  name?: string;
  /** A `data:` address. */
  logo?: string;
  /** `#rrggbb`. */
  color?: string;
}
