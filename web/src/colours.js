// colours.js - one scale of colours from low to high: viridis (Smith and van der Walt 2015), of even lightness steps, so that
// it reads in grey and with any colour vision.
const POINTS = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [109, 205, 89],
  [180, 222, 44],
  [253, 231, 37],
];

/** share from 0 to 1 as "rgb(...)" */
export function viridis(share) {
  const at = Math.min(Math.max(share, 0), 1) * (POINTS.length - 1);
  const k = Math.min(Math.floor(at), POINTS.length - 2);
  const mix = POINTS[k].map((c, i) => Math.round(c + (at - k) * (POINTS[k + 1][i] - c)));
  return `rgb(${mix.join(" ")})`;
}
