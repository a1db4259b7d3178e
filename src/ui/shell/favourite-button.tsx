/** Marks a place of the page as a favourite, which the navigation lists first. */
import { IconButton } from "../widgets/button.tsx";
import { isFavourite, type Place, toggleFavourite } from "./places.ts";

export function FavouriteButton({ place }: { readonly place: Place }) {
  const isOn = isFavourite(place.href);
  return (
    <IconButton
      icon="star"
      label="Favourite"
      class="button-icon favourite"
      aria-pressed={isOn}
      title={isOn ? "Remove from the favourites" : "Add to the favourites"}
      onClick={() => toggleFavourite(place)}
    />
  );
}
